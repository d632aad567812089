package wire_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/wire"
)

func TestStrictness(t *testing.T) {
	tests := []struct {
		name, in string
		ok       bool
	}{
		{"object", `{"a":1}`, true},
		{"white space after", "{\"a\":1}\n\t ", true},
		{"empty", ``, false},
		{"truncated", `{"a":`, false},
		{"trailing object", `{}{}`, false},
		{"trailing nul", "{}\x00", false},
		{"array", `[]`, false},
		{"null", `null`, false},
		{"same name", `{"a":1,"a":2}`, false},
		{"name in another case", `{"a":1,"A":2}`, false},
		{"kelvin sign", "{\"k\":1,\"\u212a\":2}", false},
		{"kelvin sign among many", "{" + many(40) + "\"k\":1,\"\u212a\":2}", false},
		{"long s among many", "{" + many(40) + "\"s\":1,\"\u017f\":2}", false},
		{"inner name in another case", `{"x":{"a":1,"A":2}}`, false},
		{"invalid utf-8", "{\"a\":\"\xff\"}", false},
		{"deep", `{"x":` + strings.Repeat("[", 998) + strings.Repeat("]", 998) + `}`, true},
		{"too deep", `{"x":` + strings.Repeat("[", 1500) + strings.Repeat("]", 1500) + `}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := wire.NewReader([]byte(tt.in))
			err := r.Object(func(string) error { return r.Skip() })
			if err == nil {
				err = r.End()
			}
			if tt.ok {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, wire.ErrSyntax)
			}
		})
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`"m` + strings.Repeat("x", i) + `":0,`)
	}
	return b.String()
}

func TestWriterIsRead(t *testing.T) {
	var w wire.Writer
	w.Object("").String("s", "a\"b\n").Int("n", -3).Bool("b", true).Strings("l", []string{"x", "y"}).Object("o").End().End()
	require.Equal(t, `{"s":"a\"b\n","n":-3,"b":true,"l":["x","y"],"o":{}}`, string(w.Bytes()))
}

func TestRawIsTheValueAsItStands(t *testing.T) {
	for _, value := range []string{`{ "a" : [1, 2] }`, `[]`, `"x,:\u0041"`, `-1.50`, `null`} {
		for _, doc := range []string{`{"v":` + value + `}`, `{"v" : ` + value + "\n}", `{"u":1 , "v":` + value + ` ,"w":2}`} {
			r := wire.NewReader([]byte(doc))
			var got []byte
			require.NoError(t, r.Object(func(name string) (err error) {
				if name != "v" {
					return r.Skip()
				}
				got, err = r.Raw()
				return err
			}))
			require.NoError(t, r.End())
			require.Equal(t, value, string(got))
		}
	}
}

func TestRawIsStrict(t *testing.T) {
	for _, in := range []string{`{"a":1,"a":2}`, `{"a":{"b":1,"B":2}}`, `{"a"`, "\"\xff\""} {
		_, err := wire.NewReader([]byte(in)).Raw()
		require.ErrorIs(t, err, wire.ErrSyntax, in)
	}
}

func TestNamesOfOneObjectAreApart(t *testing.T) {
	r := wire.NewReader([]byte(`{"a":{"b":1,"a":2},"b":{"a":1},"c":[{"a":1},{"a":2}]}`))
	require.NoError(t, r.Skip())
	require.NoError(t, r.End())
	require.ErrorIs(t, wire.NewReader([]byte(`{"a":{"b":1},"A":2}`)).Skip(), wire.ErrSyntax)
}
