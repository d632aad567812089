package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/wire"
)

// directive is a dispatch record that a workflow writes by hand: AI-DLC's
// .aidlc-reviewer-dispatch.json (docs/integrations/ai-dlc.md).
type directive struct {
	Reviewer, Stage, Unit string
	Exempt                []string
}

const (
	// maxDirective bounds such a record, in bytes.
	maxDirective = 1 << 20
	// staleDirective is the age from which on the workflow itself takes one for left behind.
	staleDirective = dispatch.DefaultTTL
	// reviews is where a reviewer of AI-DLC writes, beside the record.
	reviews = ".aidlc-reviews"
)

// readDirective reads such a record. Members that are not known are the workflow's
// business: none opens anything.
func readDirective(file string, now time.Time) (directive, error) {
	var out directive
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // not to wait for a pipe
	if err != nil {
		return out, fmt.Errorf("--from: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return out, fmt.Errorf("--from: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxDirective:
		return out, usageError{fmt.Errorf("--from %q is not a regular file of at most %d bytes", file, maxDirective)}
	case now.Sub(info.ModTime()) > staleDirective:
		return out, hint(fmt.Errorf("--from %q is older than %s: it may be left from another review", file, staleDirective), "write it anew, or: touch %q", file)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxDirective+1))
	if err != nil {
		return out, fmt.Errorf("--from: %w", err)
	}
	if err := out.decode(data); err != nil {
		return directive{}, usageError{fmt.Errorf("--from %q: %w", file, err)}
	}
	return out, nil
}

var errDirective = errors.New(`not a dispatch record: {"reviewer", "stage", "unit", "exempt": […]} is needed`)

func (d *directive) decode(data []byte) error {
	r := wire.NewReader(data)
	exempt := false
	err := r.Object(func(name string) (err error) {
		switch name {
		case "reviewer":
			d.Reviewer, err = r.String()
		case "stage":
			d.Stage, err = r.String()
		case "unit":
			d.Unit, err = r.String()
		case "exempt":
			exempt = true
			d.Exempt, err = r.Strings()
		default:
			err = r.Skip()
		}
		return err
	})
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errDirective, err)
	}
	if d.Reviewer == "" || d.Unit == "" || !exempt {
		return errDirective
	}
	return nil
}

// fill completes options by a record. What is said on the command line counts.
func (o *dispatchOptions) fill(d *desk, now time.Time) error {
	if o.from == "" {
		return nil
	}
	if o.unit != "" || o.agent != "" {
		return usageError{errors.New("--from names the unit and the agent: leave out --unit and --agent")}
	}
	file, err := filepath.Abs(o.from)
	if err != nil {
		return err
	}
	got, err := readDirective(file, now)
	if err != nil {
		return err
	}
	o.agent, o.unit = got.Reviewer, d.unitOf(filepath.Dir(file), got.Unit)
	if o.role == "" {
		o.role = "reviewer"
	}
	if o.stage == "" {
		o.stage = got.Stage
	}
	for _, path := range got.Exempt {
		rel, err := d.rel(path)
		if err != nil {
			// It lies elsewhere, where nothing is guarded, or nowhere.
			d.env.warn("exempt %q is left out: %v", path, err)
			continue
		}
		o.exempt = append(o.exempt, rel)
	}
	// The reviewer's one file lies beside the record, where its role only reads.
	if rel, err := d.rel(filepath.Join(filepath.Dir(file), reviews)); err == nil {
		o.write = append(o.write, rel+"/")
	}
	return nil
}

// unitOf is a unit as the record's folder names it: a name may be there once for
// each intent.
func (d *desk) unitOf(record, name string) string {
	if strings.ContainsAny(name, `/\`) || name == "." || name == ".." {
		return name // which no unit is called
	}
	for _, between := range []string{"construction/units", "construction"} {
		at := filepath.Join(record, between, name)
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&fs.ModeType != fs.ModeDir {
			continue
		}
		if real, err := filepath.EvalSymlinks(at); err == nil {
			at = real
		}
		if rel, err := filepath.Rel(d.ws.Root, at); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return name
}
