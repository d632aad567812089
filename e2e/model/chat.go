package model

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Chat is OpenAI's chat completions.
func Chat() Protocol {
	return Protocol{
		name: "openai chat completions", path: "/chat/completions", read: readChat, write: writeChat, other: models,
		id: func(n int) string { return fmt.Sprintf("call_%d", n) },
	}
}

// models is the list of models that some programs ask for when they start.
func models(url string) (any, bool) {
	list := []object{{"id": "fake-model", "object": "model"}}
	return object{"object": "list", "data": list, "models": []object{}}, strings.Contains(url, "/models")
}

func readChat(_ string, body []byte) (request, error) {
	var q struct {
		Model  string
		Stream bool
		Tools  []struct {
			Function struct{ Name string }
		}
		Messages []struct {
			Role    string
			Content json.RawMessage
			ID      string `json:"tool_call_id"`
		}
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return request{}, err
	}
	out := request{model: q.Model, stream: q.Stream}
	for _, t := range q.Tools {
		out.tools = append(out.tools, t.Function.Name)
	}
	for _, m := range q.Messages {
		switch m.Role {
		case "user":
			out.texts = append(out.texts, text(m.Content))
		case "tool":
			out.results = append(out.results, result{m.ID, text(m.Content)})
		}
	}
	return out, nil
}

func writeChat(w *writer, r request, a reply) {
	var calls []object
	for i, c := range a.calls {
		calls = append(calls, object{
			"index": i, "id": c.id, "type": "function", "function": object{"name": c.Name, "arguments": marshal(c.args())},
		})
	}
	finish := "stop"
	if len(calls) > 0 {
		finish = "tool_calls"
	}
	usage := object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
	base := func(kind string, choices []object) object {
		return object{"id": fmt.Sprintf("cmpl_%d", a.id), "created": 1, "model": r.model, "object": kind, "choices": choices}
	}
	if !r.stream {
		message := object{"role": "assistant", "content": a.text}
		if len(calls) > 0 {
			message["tool_calls"] = calls
		}
		out := base("chat.completion", []object{{"index": 0, "finish_reason": finish, "message": message}})
		out["usage"] = usage
		w.object(out)
		return
	}
	chunk := func(delta object, finish any) {
		w.event("", base("chat.completion.chunk", []object{{"index": 0, "delta": delta, "finish_reason": finish}}))
	}
	chunk(object{"role": "assistant", "content": a.text}, nil)
	if len(calls) > 0 {
		chunk(object{"tool_calls": calls}, nil)
	}
	chunk(object{}, finish)
	last := base("chat.completion.chunk", []object{})
	last["usage"] = usage
	w.event("", last)
	w.event("", "[DONE]")
}
