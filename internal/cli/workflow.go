package cli

// aiDLC is the name of the AI-DLC workflow on the command line.
const aiDLC = "ai-dlc"

// workflowLayout is where a workflow puts its units, for a workspace that has none yet.
func workflowLayout(name string) []string {
	if name == aiDLC {
		return []string{"aidlc/spaces/*/intents/*/construction/units/{unit}"}
	}
	return nil
}

// aiDLCProtocol is what takes the place of the record that a conductor of AI-DLC
// writes by hand and removes by hand.
const aiDLCProtocol = `Instead of writing .aidlc-reviewer-dispatch.json before a per-unit reviewer is
invoked, and for each reviewer of a parallel batch, run

    conduct dispatch --unit "<directive.unit>" --agent "<directive.reviewer>" --role reviewer --stage "<stage slug>" --exempt "<path>" --write "<reviewFile>"

with one --exempt for each resolved directive.consumes path that lies in another
unit, and --write where the reviewer writes outside of its unit. Put the second line that it prints (conduct:ID) into the delegated
task. Instead of deleting the record after the verdict was read, run

    conduct release --id ID --verdict <READY|NOT-READY>
`
