package model

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Anthropic is the Messages API.
func Anthropic() Protocol {
	return Protocol{
		name: "anthropic messages", path: "/messages", read: readAnthropic, write: writeAnthropic,
		id: func(n int) string { return fmt.Sprintf("toolu_fake%04d", n) },
	}
}

func readAnthropic(url string, body []byte) (request, error) {
	var q struct {
		Model    string
		Stream   bool
		Tools    []struct{ Name string }
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return request{}, err
	}
	out := request{model: q.Model, stream: q.Stream}
	if strings.Contains(url, "count_tokens") {
		return out, nil
	}
	for _, t := range q.Tools {
		out.tools = append(out.tools, t.Name)
	}
	for _, m := range q.Messages {
		if m.Role == "user" {
			out.blocks(m.Content)
		}
	}
	return out, nil
}

// blocks takes a user's message apart: results of calls, and texts.
func (r *request) blocks(content json.RawMessage) {
	var blocks []struct {
		Type    string
		Text    string
		ID      string `json:"tool_use_id"`
		Content json.RawMessage
	}
	if json.Unmarshal(content, &blocks) != nil {
		r.texts = append(r.texts, text(content))
		return
	}
	for _, b := range blocks {
		if b.Type == "tool_result" {
			r.results = append(r.results, result{b.ID, text(b.Content)})
			continue
		}
		r.texts = append(r.texts, b.Text)
	}
}

func writeAnthropic(w *writer, r request, a reply) {
	var blocks []object
	if a.text != "" {
		blocks = append(blocks, object{"type": "text", "text": a.text})
	}
	stop := "end_turn"
	for _, c := range a.calls {
		stop = "tool_use"
		blocks = append(blocks, object{"type": "tool_use", "id": c.id, "name": c.Name, "input": c.args()})
	}
	message := object{
		"id": fmt.Sprintf("msg_%d", a.id), "type": "message", "role": "assistant", "model": a.model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "input_tokens": 10,
		"usage": object{"input_tokens": 10, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
	}
	if !r.stream {
		message["content"], message["stop_reason"] = blocks, stop
		w.object(message)
		return
	}
	event := func(kind string, o object) {
		o["type"] = kind
		w.event(kind, o)
	}
	event("message_start", object{"message": message})
	for i, b := range blocks {
		start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": b["text"]}
		if b["type"] == "tool_use" {
			start = object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}
			delta = object{"type": "input_json_delta", "partial_json": marshal(b["input"])}
		}
		event("content_block_start", object{"index": i, "content_block": start})
		event("content_block_delta", object{"index": i, "delta": delta})
		event("content_block_stop", object{"index": i})
	}
	event("message_delta", object{"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 5}})
	event("message_stop", object{})
}
