// Plays opencode to a plugin: node play.mjs PLUGIN, with the scene on stdin; what became
// of each step is printed.
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

const scene = JSON.parse(readFileSync(0, "utf8"))
const loaded = []
for (const file of process.argv.slice(2)) {
  const made = Object.values(await import(pathToFileURL(file).href))
  if (made.length !== 1) throw new Error("opencode takes every export for a plugin")
  loaded.push(
    await made[0]({
      client: {
        session: {
          get: async ({ path: { id } }) => {
            if (scene.lookup === "fails") throw new Error("no")
            if (scene.lookup === "hangs") await new Promise(() => setInterval(() => {}, 1000))
            return { data: scene.sessions[id] }
          },
        },
      },
      directory: scene.directory,
      worktree: scene.directory,
    }),
  )
}
const results = []
// Several plugins see one call, one after the other; with "apart" each has its own program.
for (const some of scene.apart ? loaded.map((one) => [one]) : [loaded]) {
  for (const step of scene.steps) {
    const args = step.output?.args
    const result = { threw: null }
    try {
      for (const hooks of some) await hooks[step.hook](step.input, step.output)
    } catch (err) {
      result.threw = err.message
    }
    // The program keeps the object that it made, so only what is in that counts.
    result.args = args
    results.push(result)
  }
}
process.stdout.write(JSON.stringify(results))
process.exit(0)
