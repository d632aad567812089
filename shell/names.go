package shell

// conductVerbs are the words by which a run of conduct behind a program that is
// not known is recognised.
var conductVerbs = []string{
	"init", "unit", "dispatch", "grant", "renew", "release", "done", "status", "check", "log", "janitor", "off", "on",
	"demo", "doctor", "version", "completion", "help", "guard", "exec", "run", "brief", "report", "request", "message",
	"inbox", "board", "channel", "approve", "knob", "mcp",
}

// leadingElsewhere are the variables by which our own program finds its records, and who
// answers for a confined command.
var leadingElsewhere = []string{"CONDUCT_DIR", "CONDUCT_BROKER"}

// agentPrograms start an agent, with their options that hold what it is told.
var agentPrograms = []struct{ name, prompt string }{
	{"aider", "-m --message --message-file"},
	{"amp", "-x --execute"},
	{"auggie", "-p --print --instruction"},
	{"claude", "-p --print --append-system-prompt"},
	{"cline", ""},
	{"codebuff", ""},
	{"codex", ""},
	{"copilot", "-p --prompt"},
	{"crush", "-p --prompt"},
	{"cursor-agent", "-p --print"},
	{"droid", ""},
	{"gemini", "-p --prompt -i --prompt-interactive"},
	{"goose", "-t --text"},
	{"kilo", ""},
	{"kilocode", ""},
	{"kimi", "-c --command -p --prompt"},
	{"kiro-cli", ""},
	{"openhands", "-t --task"},
	{"opencode", "-p --prompt"},
	{"plandex", ""},
	{"q", ""},
	{"qwen", "-p --prompt -i --prompt-interactive"},
	{"rovodev", ""},
	{"vibe", "-p --prompt"},
}

// agentPackages are the names under which package runners (npx and the like) know
// agent programs.
var agentPackages = []struct{ name, program string }{
	{"@anthropic-ai/claude-code", "claude"},
	{"@charmland/crush", "crush"},
	{"@github/copilot", "copilot"},
	{"@google/gemini-cli", "gemini"},
	{"@kilocode/cli", "kilocode"},
	{"@openai/codex", "codex"},
	{"@qwen-code/qwen-code", "qwen"},
	{"@sourcegraph/amp", "amp"},
	{"aider-chat", "aider"},
	{"opencode-ai", "opencode"},
}

// interpreters run code, with the options that hold it.
var interpreters = []struct{ name, code string }{
	{"bun", "-e --eval -p --print"},
	{"deno", "eval"},
	{"lua", "-e"},
	{"node", "-e --eval -p --print"},
	{"nodejs", "-e --eval -p --print"},
	{"osascript", "-e"},
	{"perl", "-e -E"},
	{"php", "-r"},
	{"pwsh", "-c -Command"},
	{"pypy", "-c"},
	{"pypy3", "-c"},
	{"python", "-c"},
	{"python2", "-c"},
	{"python3", "-c"},
	{"Rscript", "-e"},
	{"ruby", "-e"},
	{"sqlite3", ""},
	{"tclsh", ""},
}

// steeringVariables are those with which the commands that we know run other
// programs or look for files elsewhere; a name that ends with "_" stands for all
// that begin so.
var steeringVariables = []string{
	"PATH", "HOME", "CDPATH", "IFS", "ENV", "BASH_ENV", "PWD", "OLDPWD", "SHELLOPTS", "BASHOPTS", "GLOBIGNORE", "ZDOTDIR",
	"LD_", "DYLD_", "GIT_", "PAGER", "MANPAGER", "LESS", "LESSOPEN", "LESSCLOSE", "EDITOR", "VISUAL", "RIPGREP_CONFIG_PATH",
	"RSYNC_", "GREP_OPTIONS", "GREP_COLORS_", "TAR_OPTIONS", "GZIP", "XZ_OPT", "XZ_DEFAULTS", "ZIPOPT", "UNZIP", "TAPE", "TMPDIR",
	"GCONV_PATH", "LOCPATH", "NLSPATH", "PS4", "PROMPT_COMMAND", "XDG_CONFIG_HOME", "SSH_", "AWKPATH", "AWKLIBPATH", "JQ_",
	"WGETRC", "SYSTEM_WGETRC", "ACKRC", "BAT_", "FD_", "SHELL", "EXECIGNORE", "FPATH", "MODULE_PATH",
	"BASH_", "FIGNORE", "POSIXLY_CORRECT", "_POSIX2_VERSION", "XDG_", "LESS_", "LESSKEY", "LESSKEYIN", "LESSKEY_", "LESSHISTFILE",
	"LESSEDIT", "LESSMETACHARS", "LESSMETAESCAPE", "MORE", "SUDO_", "PATCH_GET", "SIMPLE_BACKUP_SUFFIX", "MAGIC", "TERMINFO", "TERMINFO_DIRS",
	"TERMCAP", "TERMPATH", "XML_", "SGML_CATALOG_FILES", "SSLKEYLOGFILE", "NETRC", "OPENSSL_", "HOSTALIASES", "GAWK_", "GNUPGHOME",
	"GREP", "ZGREP", "XZ", "BZIP", "BZIP2", "ZSTD_", "CLOC_", "ACK_", "PROVE_", "HARNESS_",
	"PERL_", "PERL5LIB", "PERL5OPT", "PERL5DB", "PERLLIB", "PERLIO", "PERLIO_",
	"PYTHON_", "PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PYTHONINSPECT", "PYTHONUSERBASE", "PYTHONWARNINGS", "PYTHONBREAKPOINT",
	"PYTHONPYCACHEPREFIX", "PYTHONEXECUTABLE", "PYTHONPLATLIBDIR", "VIRTUAL_ENV",
	"NODE_", "NPM_", "npm_", "YARN_", "PNPM_", "COREPACK_", "BUN_", "DENO_", "RUBYOPT", "RUBYLIB", "RUBYSHELL", "BUNDLE_", "GEM_",
	"JAVA_", "_JAVA_", "JDK_", "CLASSPATH", "JRE_HOME", "LUA_", "PHPRC", "PHP_INI_SCAN_DIR",
	"CONDUCT_DIR", "CONDUCT_BROKER", "GOFLAGS", "GOENV", "GOROOT", "GOTOOLCHAIN", "GOPATH", "GOMODCACHE", "GCC_", "COMPILER_PATH", "CCC_OVERRIDE_OPTIONS", "CLANG_",
	"MAKEFLAGS", "MAKEFILES", "BC_", "DC_", "ZIP", "SSL_", "CURL_", "CHARSETALIASDIR", "INPUTRC", "HISTFILE", "HOSTFILE", "TEXTDOMAINDIR", "DEBUGINFOD_", "GOCOVERDIR", "UNZIPOPT", "ZIPINFO", "ZIPINFOOPT", "LESSECHO", "LESSGLOBALTAGS", "TZ", "TZDIR",
}

// countingVariables are numbers to the shell: a text that is put there is evaluated as
// arithmetic, and may then run commands.
const countingVariables = "RANDOM SRANDOM SECONDS OPTIND HISTCMD BASHPID LINENO EPOCHSECONDS BASH_SUBSHELL"

// ofBash are variables that are a number in bash, and whatever they were set to in
// other shells.
const ofBash = "RANDOM SECONDS LINENO OPTIND UID EUID SHLVL EPOCHSECONDS BASHPID"

// keptByShell are variables that the shell sets at each cd.
const keptByShell = "PWD OLDPWD"

// livingVariables change by themselves, or cannot be set.
const livingVariables = "_ RANDOM SRANDOM SECONDS EPOCHSECONDS EPOCHREALTIME LINENO UID EUID PPID BASHPID HISTCMD OPTIND OPTARG " +
	"BASH_SUBSHELL BASH_REMATCH BASH_COMMAND BASH_ARGV0 BASH_ARGV BASH_LINENO BASH_SOURCE PIPESTATUS FUNCNAME DIRSTACK GROUPS " +
	"COLUMNS LINES REPLY MAPFILE"

// harmlessVariables are those that change no more than how something is shown, for
// programs of every kind; a name that ends with "_" stands for all that begin so.
var harmlessVariables = []string{
	"LC_", "LANG", "LANGUAGE", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES",
	"CI", "DEBUG", "LS_COLORS", "GREP_COLOR", "GREP_COLORS", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED",
	"PYTHONIOENCODING", "PYTHONUTF8", "NODE_NO_WARNINGS", "CONDUCT_DISPATCH", "DEBIAN_FRONTEND", "SOURCE_DATE_EPOCH", "USER", "LOGNAME",
}

// scripted are the known programs that are scripts, or start a runtime: each acts on
// variables that nobody can list.
const scripted = "zgrep zegrep zfgrep zcat gzcat gunzip bzcat xzcat zstdcat which egrep fgrep shasum cloc colordiff yq " +
	"bash sh dash zsh ksh go gcc g++ clang java javac npm pnpm yarn make gmake"

// switchVariables are steering ones that are harmless with a value that turns
// something off; namingVariables are harmless with any.
var (
	switchVariables = []string{
		"PAGER", "MANPAGER", "GIT_PAGER", "GIT_EDITOR", "EDITOR", "VISUAL", "GIT_TERMINAL_PROMPT", "GIT_SEQUENCE_EDITOR",
		"GIT_OPTIONAL_LOCKS", "BAT_PAGER", "GIT_ADVICE",
	}
	namingVariables = []string{
		"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
	}
)
