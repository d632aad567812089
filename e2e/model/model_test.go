package model_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/e2e/model"
)

// ask sends a body and returns the answer.
func ask(t *testing.T, s *model.Server, path, body string) string {
	t.Helper()
	resp, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode, "%s", data)
	return string(data)
}

func start(t *testing.T, p model.Protocol) *model.Server {
	t.Helper()
	read := model.Call{Key: "read", Name: "Read", Args: map[string]any{"path": "a.txt"}}
	s, err := model.Start(p, model.Script{"a": {{Calls: []model.Call{read}}, {Text: "finished"}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// dialogue is one protocol's question and the question with the call's result.
type dialogue struct {
	protocol          model.Protocol
	path, first, then string
	call              string // in the first answer
	tool              string // that the role was offered
}

func dialogues() map[string]dialogue {
	return map[string]dialogue{
		"anthropic": {
			protocol: model.Anthropic(), path: "/v1/messages",
			first: `{"model":"m","stream":true,"tools":[{"name":"Read"}],"messages":[{"role":"user","content":[{"type":"text","text":"ROLE=a go"}]}]}`,
			then: `{"model":"m","tools":[{"name":"Read"}],"messages":[{"role":"user","content":"ROLE=a go"},{"role":"assistant","content":"ROLE=b"},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_fake0002","content":[{"type":"text","text":"the result"}]}]}]}`,
			call: `"partial_json":"{\"path\":\"a.txt\"}"`, tool: "Read",
		},
		"gemini": {
			protocol: model.Gemini(), path: "/v1beta/models/m:streamGenerateContent",
			first: `{"tools":[{"functionDeclarations":[{"name":"Read"}]}],"contents":[{"role":"user","parts":[{"text":"ROLE=a go"}]}]}`,
			then: `{"tools":[{"functionDeclarations":[{"name":"Read"}]}],"contents":[{"role":"user","parts":[{"text":"ROLE=a go"}]},` +
				`{"role":"user","parts":[{"functionResponse":{"id":"fc_2","response":{"output":"the result"}}}]}]}`,
			call: `"functionCall":{"args":{"path":"a.txt"},"id":"fc_2","name":"Read"}`, tool: "Read",
		},
		"chat": {
			protocol: model.Chat(), path: "/v1/chat/completions",
			first: `{"model":"m","stream":true,"tools":[{"function":{"name":"Read"}}],"messages":[{"role":"user","content":"ROLE=a go"}]}`,
			then: `{"model":"m","tools":[{"function":{"name":"Read"}}],"messages":[{"role":"user","content":"ROLE=a go"},` +
				`{"role":"tool","tool_call_id":"call_2","content":"the result"}]}`,
			call: `"function":{"arguments":"{\"path\":\"a.txt\"}","name":"Read"},"id":"call_2"`, tool: "Read",
		},
		"responses": {
			protocol: model.Responses(), path: "/v1/responses",
			first: `{"model":"m","tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"Read"}]}],` +
				`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"ROLE=a go"}]}]}`,
			then: `{"model":"m","tools":[{"type":"function","name":"Read"}],"input":[{"type":"message","role":"user","content":[{"text":"ROLE=a go"}]},` +
				`{"type":"function_call_output","call_id":"call_2","output":"the result"}]}`,
			call: `"arguments":"{\"path\":\"a.txt\"}","call_id":"call_2"`, tool: "n.Read",
		},
	}
}

func TestDialogues(t *testing.T) {
	for name, d := range dialogues() {
		t.Run(name, func(t *testing.T) {
			s := start(t, d.protocol)
			require.Contains(t, ask(t, s, d.path, d.first), d.call)
			_, ok := s.Result("a", "read")
			require.False(t, ok)
			require.Contains(t, ask(t, s, d.path, d.then), "finished")
			got, ok := s.Result("a", "read")
			require.True(t, ok)
			require.Equal(t, "the result", got)
			require.Equal(t, 2, s.Played("a"))
			require.Contains(t, s.Tools("a"), d.tool)
			require.True(t, s.Saw("a", "the result"))
			require.False(t, s.Saw("b", "the result"))
			require.Contains(t, ask(t, s, d.path, d.then), "done", "the script is at its end")
			require.Empty(t, s.Faults())
			require.Contains(t, s.Bodies(), "the result")
		})
	}
}

// A role is known by the first message that names one, a tool's raw input goes as it is, and what has
// no tools plays no turn.
func TestRolesAndRawInput(t *testing.T) {
	before := 0
	patch := model.Call{Key: "patch", Name: "apply_patch", Namespace: "n", Input: "*** Begin Patch"}
	s, err := model.Start(model.Responses(), model.Script{"b": {{Before: func() { before++ }, Calls: []model.Call{patch}}}})
	require.NoError(t, err)
	defer s.Close()
	body := `"input":[{"role":"user","content":"no role"},{"role":"user","content":"` + model.Prompt("b", "x") + `"},{"role":"user","content":"ROLE=c"}]}`
	require.Contains(t, ask(t, s, "/v1/responses", `{`+body), "ok")
	require.Zero(t, before)
	require.Contains(t, ask(t, s, "/v1/responses", `{"tools":[{"name":"x"}],`+body), `"input":"*** Begin Patch"`)
	require.Equal(t, 1, before)
	require.Contains(t, ask(t, s, "/v1/responses", `{"tools":[{"name":"x"}],`+strings.Replace(body, "}]}",
		`},{"type":"custom_tool_call_output","call_id":"call_3","output":[{"type":"input_text","text":"patched"}]}]}`, 1)), "done")
	got, _ := s.Result("b", "patch")
	require.Equal(t, "patched", got)
}

func TestWhatIsNoQuestion(t *testing.T) {
	s := start(t, model.Chat())
	resp, err := http.Get(s.URL + "/v1/models")
	require.NoError(t, err)
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Contains(t, string(data), "fake-model")
	resp, err = http.Get(s.URL + "/elsewhere")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusNotFound, resp.StatusCode)
	require.Empty(t, s.Faults())

	for _, p := range []model.Protocol{model.Anthropic(), model.Gemini(), model.Chat(), model.Responses()} {
		s := start(t, p)
		path := map[string]string{"anthropic messages": "/v1/messages", "gemini generateContent": "/m:generateContent"}[p.String()]
		if path == "" {
			path = "/v1/chat/completions/v1/responses"
		}
		resp, err := http.Post(s.URL+path, "application/json", strings.NewReader("{"))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, http.StatusBadRequest, resp.StatusCode)
		require.Len(t, s.Faults(), 1)
	}
}

func TestCompressedQuestions(t *testing.T) {
	s := start(t, model.Chat())
	var body bytes.Buffer
	z := gzip.NewWriter(&body)
	_, err := z.Write([]byte(dialogues()["chat"].first))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	req, err := http.NewRequest(http.MethodPost, s.URL+"/v1/chat/completions", &body)
	require.NoError(t, err)
	req.Header.Set("Content-Encoding", "gzip")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, 1, s.Played("a"))
}
