// Asks conduct-guard before every tool call of opencode. Made by conduct init:
// run it again instead of changing this file.
import { spawn } from "node:child_process"
import { lstatSync, statSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"

const guard = "%GUARD%"
const root = "%ROOT%" // the workspace's, or "" for all of a person's workspaces
const limit = "%LIMIT%" // milliseconds; the guard itself takes two seconds at most, and longer only when it asks a person

const exists = (path) => {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}

// held says whether a call may belong to a dispatch: only then is a guard that is
// missing or fails a reason to stop it.
const held = (folders) => {
  if (process.env.CONDUCT_DIR || process.env.CONDUCT_DISPATCH) return true
  if (root !== "") return exists(join(root, ".conduct"))
  for (let dir of folders) {
    if (typeof dir !== "string" || !isAbsolute(dir)) continue
    for (;;) {
      if (exists(join(dir, ".conduct", "workspace.json"))) return true
      if (dirname(dir) === dir) break
      dir = dirname(dir)
    }
  }
  return false
}

const timed = (promise, what) => {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(what + " took too long")), limit)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

// ask runs the guard with one object on its stdin and returns what it printed.
const ask = (said) =>
  new Promise((resolve, reject) => {
    // An empty file would run and succeed: an update that was cut short leaves one.
    if (isAbsolute(guard) && statSync(guard).size === 0) throw new Error("the guard is empty")
    const child = spawn(guard, ["--client", "opencode", ...(root === "" ? [] : ["--dir", root])], {
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    })
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      reject(new Error("the guard took too long"))
    }, limit)
    let out = ""
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (text) => (out += text))
    child.on("error", (err) => {
      clearTimeout(timer)
      reject(err)
    })
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      code === 0 ? resolve(out) : reject(new Error("the guard ended with " + (signal ?? code)))
    })
    child.stdin.on("error", () => {}) // it ended before it had read all: its exit tells
    child.stdin.end(JSON.stringify(said))
  })

// rewritten has the texts that a call had before they were changed. Where this file is
// installed twice, the second guard judges what the agent wrote, not what the first made of it.
const rewritten = (globalThis[Symbol.for("conduct.rewritten")] ??= new Map())

const rewrite = (key, args, texts) => {
  if (texts === undefined || rewritten.has(key)) return
  rewritten.set(key, Object.fromEntries(Object.keys(texts).map((name) => [name, args[name]])))
  if (rewritten.size > 1000) rewritten.delete(rewritten.keys().next().value)
  Object.assign(args, texts) // in place: another object would be ignored
}

// understood reads the guard's answer. Nothing is leave to go on; what is neither a
// block nor a change of texts that are there is a guard that has failed. The dispatch
// may be missing: a call of our own tools gets it.
const understood = (text, args) => {
  if (text.trim() === "") return {}
  let answer
  try {
    answer = JSON.parse(text)
  } catch {}
  if (answer?.decision === "block" && typeof answer.reason === "string" && answer.reason.trim() !== "") return answer
  const changes = Object.entries(answer?.args ?? {})
  if (answer?.decision === undefined && changes.length > 0) {
    const there = (name) => typeof args[name] === "string" || (name === "dispatch" && (args[name] ?? null) === null)
    if (changes.every(([name, value]) => typeof value === "string" && there(name))) return answer
  }
  throw new Error("the guard's answer makes no sense")
}

export const Conduct = async ({ client, directory, worktree }) => {
  const sessions = new Map() // those that were started meanwhile, by id
  const openings = new Map() // the last prompt of a session that names a dispatch
  const children = new Set() // sessions of subagents that have called

  const known = (info) => ({
    id: info.id,
    parentID: info.parentID,
    agent: info.agent,
    title: info.title,
    directory: info.directory,
  })

  // lookup finds out whose session it is. The guard refuses a call of nobody.
  const lookup = async (id) => {
    try {
      const found = await timed(client.session.get({ path: { id } }), "the session's lookup")
      if (found?.data?.id === id) return known(found.data)
    } catch {}
    return sessions.get(id)
  }

  const say = async (input, output) => {
    const session = await lookup(input.sessionID)
    if (session?.parentID) children.add(input.sessionID)
    return {
      tool_name: input.tool,
      input,
      output,
      session_lookup: session,
      directory,
      worktree,
      opening: openings.get(input.sessionID),
    }
  }

  const tell = async (make) => {
    try {
      if (root === "" || held([])) await ask(await make())
    } catch {} // it judges nothing
  }

  return {
    "tool.execute.before": async (input, output) => {
      if (root !== "" && !held([])) return
      const { tool, sessionID, callID } = input
      const key = sessionID + " " + callID
      const args = output.args ?? {}
      const written = { ...args, ...rewritten.get(key) }
      let answer
      try {
        answer = understood(await ask(await say({ tool, sessionID, callID }, { args: written })), written)
      } catch (err) {
        if (!held([directory, worktree, process.cwd()])) return
        const why = err instanceof Error ? err.message : String(err)
        throw new Error("conduct: blocked, since the guard is missing or has failed (" + why + "): run conduct doctor")
      }
      if (answer.decision === "block") throw new Error(answer.reason)
      rewrite(key, args, answer.args)
    },

    "tool.execute.after": async (input, output) => {
      rewritten.delete(input.sessionID + " " + input.callID)
      const started = output?.metadata?.sessionId
      if (input.tool !== "task" || typeof started !== "string") return
      const { tool, sessionID, callID, args } = input
      await tell(() => say({ tool, sessionID, callID, args: args ?? {} }, { metadata: { sessionId: started } }))
    },

    "chat.message": async (input, output) => {
      // What opencode itself adds, such as a mentioned file, is no word of the launching side.
      const own = (output?.parts ?? []).filter((p) => p.type === "text" && !p.synthetic && typeof p.text === "string")
      const text = own.map((p) => p.text).join("\n")
      if (text.includes("conduct:")) openings.set(input.sessionID, text.slice(0, 100000))
    },

    event: async ({ event }) => {
      const { info, sessionID } = event.properties ?? {}
      const id = info?.id ?? sessionID
      if (event.type === "session.created" && info) sessions.set(id, known(info))
      if (event.type === "session.idle" && children.has(id)) {
        await tell(async () => ({ type: event.type, properties: { sessionID: id }, session_lookup: await lookup(id) }))
      }
      if (event.type === "session.deleted") for (const some of [sessions, openings, children]) some.delete(id)
    },
  }
}
