package model

import (
	"encoding/json"
	"fmt"
)

// Responses is OpenAI's responses API.
func Responses() Protocol {
	return Protocol{
		name: "openai responses", path: "/responses", read: readResponses, write: writeResponses, other: models,
		id: func(n int) string { return fmt.Sprintf("call_%d", n) },
	}
}

// responseTool is a tool, or a namespace of tools.
type responseTool struct {
	Type, Name string
	Tools      []responseTool
}

func (t responseTool) names() []string {
	switch {
	case t.Type != "namespace" && t.Name == "": // one of the service's own
		return []string{t.Type}
	case t.Type != "namespace":
		return []string{t.Name}
	}
	var out []string
	for _, in := range t.Tools {
		out = append(out, t.Name+"."+in.Name)
	}
	return out
}

func readResponses(_ string, body []byte) (request, error) {
	var q struct {
		Model string
		Tools []responseTool
		Input []struct {
			Type, Role string
			ID         string `json:"call_id"`
			Content    json.RawMessage
			Output     json.RawMessage
			Tools      []responseTool
		}
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return request{}, err
	}
	out := request{model: q.Model, stream: true}
	for _, t := range q.Tools {
		out.tools = append(out.tools, t.names()...)
	}
	for _, i := range q.Input {
		for _, t := range i.Tools {
			out.tools = append(out.tools, t.names()...)
		}
		switch {
		case i.Type == "function_call_output" || i.Type == "custom_tool_call_output":
			out.results = append(out.results, result{i.ID, text(i.Output)})
		case i.Role == "user":
			out.texts = append(out.texts, text(i.Content))
		}
	}
	return out, nil
}

func writeResponses(w *writer, _ request, a reply) {
	event := func(kind string, o object) {
		o["type"] = kind
		w.event(kind, o)
	}
	id := fmt.Sprintf("resp_%d", a.id)
	event("response.created", object{"response": object{"id": id}})
	var items []object
	if a.text != "" {
		items = append(items, object{
			"type": "message", "role": "assistant", "id": fmt.Sprintf("msg_%d", a.id),
			"content": []object{{"type": "output_text", "text": a.text, "annotations": []any{}}},
		})
	}
	for _, c := range a.calls {
		items = append(items, c.item())
	}
	for i, item := range items {
		event("response.output_item.added", object{"output_index": i, "item": item})
		event("response.output_item.done", object{"output_index": i, "item": item})
	}
	event("response.completed", object{"response": object{
		"id": id, "status": "completed", "output": items,
		"usage": object{
			"input_tokens": 10, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 5,
			"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 15,
		},
	}})
}

// item is a call as this protocol writes it.
func (c numbered) item() object {
	out := object{
		"type": "function_call", "id": "fc_" + c.id, "call_id": c.id, "name": c.Name, "arguments": marshal(c.args()), "status": "completed",
	}
	if c.Input != "" {
		out = object{"type": "custom_tool_call", "id": "ctc_" + c.id, "call_id": c.id, "name": c.Name, "input": c.Input, "status": "completed"}
	}
	if c.Namespace != "" {
		out["namespace"] = c.Namespace
	}
	return out
}
