package mcpserver

import (
	"reflect"
	"slices"
	"time"

	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/wire"
)

// inputSchema is the JSON Schema of a type of arguments.
func inputSchema(t reflect.Type, own bool) []byte {
	var w wire.Writer
	w.Object("").String("type", "object").Object("properties")
	var required []string
	for _, a := range argsOf(t) {
		a.schema(&w)
		if a.required || a.own && !own {
			required = append(required, a.name)
		}
	}
	w.End()
	if required != nil { // an empty list was none in older drafts
		w.Strings("required", required)
	}
	w.Bool("additionalProperties", false).End()
	return w.Bytes()
}

// schema writes the schema of an argument. Lengths in bytes are only in the
// description: a schema counts characters.
func (a arg) schema(w *wire.Writer) {
	w.Object(a.name)
	switch a.kind {
	case reflect.Bool:
		w.String("type", "boolean")
	case reflect.Int, reflect.Uint64:
		w.String("type", "integer").Int("minimum", a.least)
		if a.most > 0 {
			w.Int("maximum", int64(a.most))
		}
	case reflect.Slice:
		w.String("type", "array").Object("items").String("type", "string").End().Int("maxItems", int64(a.most))
	default:
		w.String("type", "string")
		if a.enum != nil {
			w.Strings("enum", a.enum)
		}
	}
	w.String("description", a.about).End()
}

// outputSchema is the JSON Schema of what a tool returns: one of its results, or a
// refusal. Clients hold refusals against it too.
func outputSchema(results ...reflect.Type) []byte {
	var w wire.Writer
	w.Object("").String("type", "object").Array("anyOf")
	for _, t := range append(slices.Clip(results), reflect.TypeFor[refusal]()) {
		shape(&w, "", t)
	}
	w.End().End()
	return w.Bytes()
}

// shape writes the schema of a type that is encoded by its view tags.
func shape(w *wire.Writer, name string, t reflect.Type) {
	switch {
	case t == reflect.TypeFor[time.Time]():
		w.Object(name).String("type", "string").String("description", "RFC 3339 in UTC; empty where there is none").End()
	case t == reflect.TypeFor[ledger.Pointer]():
		w.Object(name).String("type", "string").String("description", "TYPE:VALUE").End()
	case t.Kind() == reflect.Struct:
		object(w, name, t)
	case t.Kind() == reflect.Slice:
		w.Object(name).String("type", "array")
		shape(w, "items", t.Elem())
		w.End()
	case t.Kind() == reflect.Map: // of whatever names
		w.Object(name).String("type", "object").End()
	case t.Kind() == reflect.Int:
		w.Object(name).String("type", "integer").End()
	case t.Kind() == reflect.Bool:
		w.Object(name).String("type", "boolean").End()
	default:
		w.Object(name).String("type", "string")
		if enum := enumOf(t); enum != nil {
			w.Strings("enum", enum)
		}
		w.End()
	}
}

// object writes the schema of a struct: all of its fields are there, and no others.
func object(w *wire.Writer, name string, t reflect.Type) {
	w.Object(name).String("type", "object").Object("properties")
	names := properties(w, t)
	w.End().Strings("required", names).Bool("additionalProperties", false).End()
}

func properties(w *wire.Writer, t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			names = append(names, properties(w, f.Type)...)
			continue
		}
		name := f.Tag.Get("view")
		shape(w, name, f.Type)
		names = append(names, name)
	}
	return names
}
