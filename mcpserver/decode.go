package mcpserver

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/wire"
)

// maxText bounds a text that has no bound of its own, in bytes: what it names is
// never longer.
const maxText = 4096

// arg is one argument of a tool, as its field in the Go type says.
type arg struct {
	index    int // of the field
	name     string
	about    string
	kind     reflect.Kind
	required bool
	own      bool // required, but where the environment says it
	enum     []string
	most     int // 0: see maxText
	least    int64
}

// argsOf reads the tags of a type of arguments.
func argsOf(t reflect.Type) []arg {
	var out []arg
	for i := range t.NumField() {
		f := t.Field(i)
		name, how, _ := strings.Cut(f.Tag.Get("arg"), ",")
		a := arg{
			index: i, name: name, about: f.Tag.Get("about"), kind: f.Type.Kind(), required: how == "required", own: how == "own",
			enum: enumOf(f.Type), most: tagNumber(f, "max"), least: int64(tagNumber(f, "min")),
		}
		if words := f.Tag.Get("enum"); words != "" {
			a.enum = strings.Fields(words)
		}
		out = append(out, a)
	}
	return out
}

func tagNumber(f reflect.StructField, tag string) int {
	n, _ := strconv.Atoi(f.Tag.Get(tag)) // a test reads every tag
	return n
}

// enumOf lists the values of a type that has few, nil for any other type.
func enumOf(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[ledger.ReportKind]():
		return words(ledger.ReportKinds())
	case reflect.TypeFor[ledger.RequestKind]():
		return words(ledger.RequestKinds())
	case reflect.TypeFor[MessageAction]():
		return words(MessageActions())
	case reflect.TypeFor[ledger.Kind]():
		return words(ledger.OwnKinds())
	case reflect.TypeFor[ledger.Status]():
		return words(ledger.Statuses())
	case reflect.TypeFor[ledger.State]():
		return words(ledger.States())
	case reflect.TypeFor[dispatch.Verdict]():
		return words(dispatch.Verdicts())
	case reflect.TypeFor[Action]():
		return words(Actions())
	}
	return nil
}

func words[T ~string](all []T) []string {
	var out []string
	for _, w := range all {
		out = append(out, string(w))
	}
	return out
}

func usage(message, hint string) *Error { return &Error{codeUsage, message, hint} }

// decode reads the arguments of a tool into the struct that to points to. It is as
// strict as the schema, since not every client holds its model to that, and stricter:
// a name that is there twice is refused. own says that the dispatch is known.
func decode(data []byte, to any, own bool) error {
	v := reflect.ValueOf(to).Elem()
	args := argsOf(v.Type())
	given, err := read(data, v, args)
	if err != nil {
		var e *Error
		if errors.As(err, &e) {
			return e
		}
		return usage("the arguments cannot be read: "+err.Error(), "send one JSON object")
	}
	for _, a := range args {
		if (a.required || a.own && !own) && !given[a.name] {
			return usage(fmt.Sprintf("%q is missing", a.name), hintFor(a))
		}
	}
	return nil
}

// hintFor says how an argument is found.
func hintFor(a arg) string {
	if a.own {
		return "the line conduct:ID in your prompt is the dispatch ID"
	}
	return "give " + a.name + ": " + a.about
}

// read reads an object into v, and says which arguments it had.
func read(data []byte, v reflect.Value, args []arg) (map[string]bool, error) {
	given := map[string]bool{}
	if len(data) == 0 || string(data) == "null" { // which is how some say that there are none
		return given, nil
	}
	r := wire.NewReader(data)
	err := r.Object(func(name string) error {
		i := slices.IndexFunc(args, func(a arg) bool { return a.name == name })
		if i < 0 {
			return usage(fmt.Sprintf("there is no argument %q", name), "the arguments are "+quoted(argNames(args)))
		}
		if r.Kind() == 'n' {
			return r.Skip() // some models fill in null for what they leave out
		}
		given[name] = true
		if err := args[i].set(r, v.Field(args[i].index)); err != nil {
			return usage(fmt.Sprintf("%q: %s", name, strings.TrimPrefix(err.Error(), wire.ErrSyntax.Error()+": ")), hintFor(args[i]))
		}
		return nil
	})
	if err == nil {
		err = r.End()
	}
	return given, err
}

func argNames(args []arg) []string {
	var out []string
	for _, a := range args {
		out = append(out, a.name)
	}
	return out
}

// set reads the value of an argument.
func (a arg) set(r *wire.Reader, to reflect.Value) error {
	switch a.kind {
	case reflect.String:
		s, err := r.String()
		if err == nil {
			err = a.checkText(s)
		}
		to.SetString(s)
		return err
	case reflect.Bool:
		b, err := r.Bool()
		to.SetBool(b)
		return err
	case reflect.Int, reflect.Uint64:
		n, err := r.Int()
		if err == nil && (n < a.least || a.most > 0 && n > int64(a.most)) {
			err = fmt.Errorf("%d is out of range: %s", n, a.limits())
		}
		if err != nil {
			return err
		}
		if a.kind == reflect.Int {
			to.SetInt(n)
		} else {
			to.SetUint(uint64(n)) // least is above 0
		}
		return nil
	}
	return a.setList(r, to)
}

func (a arg) setList(r *wire.Reader, to reflect.Value) error {
	list, err := r.Strings()
	if err != nil {
		return err
	}
	if len(list) > a.most {
		return fmt.Errorf("%d elements: at most %d", len(list), a.most)
	}
	for _, s := range list {
		if len(s) > maxText {
			return fmt.Errorf("an element of %d bytes is too long: at most %d", len(s), maxText)
		}
	}
	to.Set(reflect.ValueOf(list))
	return nil
}

// checkText leaves texts with a bound of their own to the ledger, which refuses them
// under a code of its own.
func (a arg) checkText(s string) error {
	switch {
	case a.enum != nil && !slices.Contains(a.enum, s):
		return fmt.Errorf("%q is not one of %s", s, strings.Join(a.enum, ", "))
	case a.most == 0 && len(s) > maxText:
		return fmt.Errorf("%d bytes are too long: at most %d", len(s), maxText)
	}
	return nil
}

func (a arg) limits() string {
	if a.most == 0 {
		return fmt.Sprintf("at least %d", a.least)
	}
	return fmt.Sprintf("%d to %d", a.least, a.most)
}
