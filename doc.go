// Package conduct is the front door: `conduct` is a scope guard for parallel AI
// subagents. An agent dispatched to one unit of a workspace cannot reach the
// others, from its launch to its verdict.
//
// Start reading at docs/architecture.md. The packages, from the inside out:
// unit (which unit a path belongs to), grants (what an agent may do), store
// (what a record store owes), dispatch (records and their life), guard (the
// decision), hooks (the agent programs), audit (the log and the receipt), janitor
// (what is past its time goes), and the commands in cmd and internal.
package conduct
