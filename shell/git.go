package shell

func (c *command) git() { c.unknown("git") }
