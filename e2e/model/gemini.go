package model

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Gemini is the Gemini API: generateContent and its stream.
func Gemini() Protocol {
	return Protocol{
		name: "gemini generateContent", path: ":", read: readGemini, write: writeGemini,
		id: func(n int) string { return fmt.Sprintf("fc_%d", n) },
	}
}

func readGemini(url string, body []byte) (request, error) {
	var q struct {
		Tools []struct {
			FunctionDeclarations []struct{ Name string }
		}
		Contents []struct {
			Role  string
			Parts []struct {
				Text             string
				FunctionResponse *struct {
					ID       string
					Response json.RawMessage
				}
			}
		}
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return request{}, err
	}
	out := request{model: "gemini", stream: strings.HasSuffix(url, ":streamGenerateContent")}
	for _, t := range q.Tools {
		for _, f := range t.FunctionDeclarations {
			out.tools = append(out.tools, f.Name)
		}
	}
	for _, c := range q.Contents {
		for _, p := range c.Parts {
			switch {
			case p.FunctionResponse != nil:
				out.results = append(out.results, result{p.FunctionResponse.ID, responseText(p.FunctionResponse.Response)})
			case c.Role == "user":
				out.texts = append(out.texts, p.Text)
			}
		}
	}
	return out, nil
}

// responseText is a result's output or error, else the whole of it.
func responseText(raw json.RawMessage) string {
	var r struct{ Output, Error string }
	if json.Unmarshal(raw, &r) == nil && r.Output+r.Error != "" {
		return r.Output + r.Error
	}
	return string(raw)
}

// judgement is what Gemini CLI asks for without tools: who speaks next, which model.
const judgement = `{"reasoning":"x","next_speaker":"user","model_choice":"pro","complexity_score":50,"complexity_reasoning":"x"}`

func writeGemini(w *writer, r request, a reply) {
	parts := []object{}
	if len(r.tools) == 0 {
		a.text = judgement
	}
	if a.text != "" {
		parts = append(parts, object{"text": a.text})
	}
	for _, c := range a.calls {
		parts = append(parts, object{"functionCall": object{"id": c.id, "name": c.Name, "args": c.args()}})
	}
	out := object{
		"candidates":    []object{{"content": object{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
		"modelVersion":  "gemini-2.5-pro", "responseId": fmt.Sprintf("r%d", a.id), "totalTokens": 10,
	}
	if r.stream {
		w.event("", out)
		return
	}
	w.object(out)
}
