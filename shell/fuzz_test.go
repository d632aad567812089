package shell

import (
	"path"
	"strings"
	"testing"
)

// FuzzAnalyze holds what must be so of every line: no panic, bounds, and that a
// plain "cat PATH" behind it is always seen.
func FuzzAnalyze(f *testing.F) {
	for _, l := range corpus(f) {
		f.Add(l.Command)
	}
	for _, l := range []string{"cat <<A\n$(x\nA", "{a..zz}", "${x:-${y%z}}", "a[$(b)]=c", "$'\\x", "sed s/a", "awk '/'", "git diff -- :(", "tar", "((i=0))", "for ((;;)); do :; done"} {
		f.Add(l)
	}
	f.Fuzz(func(t *testing.T, line string) {
		a, err := Analyze(line, worldEnv())
		if err != nil {
			return
		}
		if len(a.Facts) > maxFacts+maxFacts || len(a.Commands) > maxSteps {
			t.Fatalf("%d facts, %d commands", len(a.Facts), len(a.Commands))
		}
		for _, fact := range a.Facts {
			if fact.Path == "" || fact.Op == 0 {
				t.Fatalf("a fact without a path or an operation: %+v", fact)
			}
			if !path.IsAbs(fact.Path) && len(fact.Cwds) == 0 && !fact.Top {
				t.Fatalf("a relative path without a folder: %+v", fact)
			}
		}
		if strings.ContainsAny(line, "#\\\n") {
			return // the rest may be a comment, or part of a word
		}
		more, err := Analyze(line+"\ncat /w/construction/units/U04/secret.txt\n", worldEnv())
		if err != nil {
			return
		}
		for _, fact := range more.Facts {
			if fact.Path == "/w/construction/units/U04/secret.txt" {
				return
			}
		}
		for _, o := range more.Opaque {
			if strings.HasPrefix(o.Reason, "it ") || strings.Contains(o.Reason, "function") {
				return // too long to be followed to its end, or cat is something else
			}
		}
		if !strings.Contains(line, "<<") {
			t.Fatalf("the last command is not seen: %q", line)
		}
	})
}

func BenchmarkAnalyze(b *testing.B) {
	for _, bm := range []struct{ name, line string }{
		{"cat", "cat a b"},
		{"64 commands", strings.TrimSuffix(strings.Repeat("grep -n foo a.txt && ", 64), " && ")},
		{"git", "git log --oneline --graph -p --follow -- ."},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Analyze(bm.line, Env{Cwd: "/w"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
