package shell

// diffOptions are those of everything that can show a diff.
const diffOptions = " -p!patch -u!patch --patch!patch -s!names --no-patch!names --stat?:text!names --numstat!names --shortstat!names " +
	"--dirstat?:text!names --cumulative!names --dirstat-by-file?:text!names --summary!names --compact-summary!names --raw!names " +
	"--name-only!names --name-status!names --quiet!names --stat-width:text!names --stat-name-width:text!names " +
	"--stat-count:text!names --stat-graph-width:text!names --patch-with-stat!patch --patch-with-raw!patch --binary!patch " +
	"-U:text!patch --unified:text!patch --check!patch --word-diff?:text!patch --word-diff-regex:text!patch --color-words?:text!patch " +
	"-W!patch --function-context!patch -c!patch --cc!patch --combined-all-paths --remerge-diff!patch --diff-merges:text!patch " +
	"--output:put --output-indicator-new:text --output-indicator-old:text --output-indicator-context:text --ext-diff!opaque " +
	"--no-ext-diff --textconv --no-textconv -O:read -S:text!patch -G:text!patch --pickaxe-all --pickaxe-regex --find-object:text -M?:text " +
	"-C?:text -B?:text -X?:text!names -l:text --find-renames?:text --find-copies?:text --find-copies-harder --break-rewrites?:text " +
	"--no-renames --rename-empty --no-rename-empty -DRabwz --irreversible-delete --diff-filter:text --diff-algorithm:text --minimal --patience " +
	"--histogram --anchored:text --inter-hunk-context:text --indent-heuristic --no-indent-heuristic --color?:text --no-color " +
	"--color-moved?:text --no-color-moved --color-moved-ws:text --ws-error-highlight:text --full-index --abbrev?:text --no-abbrev " +
	"--exit-code --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines " +
	"-I:text!patch --ignore-matching-lines:text!patch --ignore-submodules?:text --submodule?:text --src-prefix:text --dst-prefix:text " +
	"--no-prefix --default-prefix --line-prefix:text --relative?:text --no-relative --text --ita-invisible-in-index " +
	"--ita-visible-in-index --skip-to:text --rotate-to:text --no-diff-merges -r -t --root --no-commit-id"

// logOptions are those of everything that walks through commits.
const logOptions = " -# -n:text --max-count:text --skip:text --since:text --after:text --until:text --before:text --since-as-filter:text " +
	"--author:text --committer:text --grep:text --grep-reflog:text --all-match --invert-grep -iEFPgm --regexp-ignore-case " +
	"--basic-regexp --extended-regexp --fixed-strings --perl-regexp --remove-empty --merges --no-merges --min-parents:text " +
	"--max-parents:text --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only --not --all --branches?:text " +
	"--tags?:text --remotes?:text --glob:text --exclude:text --exclude-hidden:text --reflog --alternate-refs --single-worktree " +
	"--ignore-missing --stdin!opaque --bisect --cherry --cherry-mark --cherry-pick --left-only --right-only --left-right " +
	"--walk-reflogs --merge --boundary --simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges " +
	"--ancestry-path?:text --date-order --author-date-order --topo-order --reverse --no-walk?:text --do-walk --pretty?:text " +
	"--format:text --abbrev-commit --no-abbrev-commit --oneline --encoding:text --expand-tabs?:text --no-expand-tabs --notes?:text " +
	"--no-notes --show-notes?:text --show-signature!opaque --relative-date --date:text --parents --children --graph --no-graph " +
	"--show-linear-break?:text --follow --decorate?:text --no-decorate --decorate-refs:text --decorate-refs-exclude:text " +
	"--clear-decorations --source --mailmap --no-mailmap --use-mailmap --full-diff!whole --log-size -L:text --no-standard-notes"

// gitTable says what the verbs of git are, sorted by name. Operands is how they are
// followed, see gitVerb; none is the form that passes, for a refusal. A verb that
// is not in it is opaque: it may be an alias.
var gitTable = []row{
	{"add", "add", "git add -A -- {own}", "-A!whole --all!whole -u!whole --update!whole --no-all --no-ignore-removal!whole -fnvN -i!opaque -e!opaque " +
		"-p!patch --patch!patch --interactive!opaque --edit!opaque --dry-run --force --intent-to-add --refresh --ignore-errors " +
		"--ignore-missing --renormalize --chmod:text --sparse --verbose --no-warn-embedded-repo --pathspec-from-file:opaque --pathspec-file-nul"},
	{"am", "tree", "git checkout REV -- {own}", "*"},
	{"annotate", "blame", "git blame -- ./FILE", "=blame"},
	{"apply", "apply", "", "-vRNq -p:text -C:text --stat!outside --numstat!outside --summary!outside --check!outside --index --cached --intent-to-add " +
		"-3!patch --3way!patch --ours --theirs --union --build-fake-ancestor:put -R --reverse --reject -z --unidiff-zero --apply --no-add --allow-binary-replacement " +
		"--binary --exclude:text --include:text --whitespace:text --ignore-space-change --ignore-whitespace --inaccurate-eof --verbose --quiet " +
		"--recount --directory:text!whole --unsafe-paths!opaque --allow-empty"},
	{"archive", "archive", "git archive HEAD {own}", "-vl -# --format:text -o:put --output:put --prefix:text --verbose --list --worktree-attributes " +
		"--add-file:read --add-virtual-file:text --remote:opaque --exec:opaque --mtime:text"},
	{"bisect", "bisect", "", "*"},
	{"blame", "blame", "git blame -- ./FILE", "-blcetfnspwk -L:text -S:read -M?:text -C?:text --root --date:text --since:text --reverse --first-parent " +
		"--porcelain --line-porcelain --incremental --encoding:text --contents:read --ignore-rev:text --ignore-revs-file:read --abbrev?:text " +
		"--color-lines --color-by-age --progress --no-progress --score-debug --show-stats --show-name --show-number --show-email --minimal"},
	{"branch", "pass", "", "*"},
	{"bundle", "bundle", "git archive HEAD {own}", "*"},
	{"cat-file", "object", "git show HEAD:./FILE", "-tse -p!patch --textconv!patch --filters!patch --path:text --allow-unknown-type --batch?:opaque " +
		"--batch!opaque --batch-check?:text --batch-check!opaque --batch-command!opaque --batch-all-objects --buffer --unordered --follow-symlinks -Z -z " +
		"--mailmap --use-mailmap --filter:text"},
	{"check-attr", "pass", "", "*"},
	{"check-ignore", "pass", "", "*"},
	{"checkout", "checkout", "git checkout REV -- {own}", "-fqdlmtN -b:text -B:text --orphan:text --force --quiet --detach --track?:text --no-track --merge " +
		"-p!patch --patch!patch --conflict:text --ours --theirs -2 -3 --progress --no-progress --guess --no-guess --overlay --no-overlay " +
		"--ignore-skip-worktree-bits --ignore-other-worktrees --recurse-submodules?:text --no-recurse-submodules --overwrite-ignore " +
		"--pathspec-from-file:opaque --pathspec-file-nul -U:text --unified:text"},
	{"checkout-index", "tree", "git checkout -- {own}", "*"},
	{"cherry", "pass", "", "*"},
	{"cherry-pick", "tree", "git checkout REV -- {own}", "*"},
	{"clean", "clean", "git clean -fd -- {own}", "-dfqxX -n!outside --dry-run!outside -i!opaque --interactive!opaque -e:text --exclude:text --force --quiet"},
	{"clone", "clone", "", "-lsqvnjb -b:text -o:text -j:text -u:opaque -c:opaque --depth:text --branch:text --origin:text --single-branch --no-single-branch " +
		"--no-tags --shallow-since:text --shallow-exclude:text --filter:text --sparse --bare --mirror --quiet --verbose --progress --no-checkout " +
		"--local --no-hardlinks --shared --no-local --jobs:text --recursive?:text --recurse-submodules?:text --shallow-submodules " +
		"--reference:search --reference-if-able:search --dissociate --separate-git-dir:put --template:opaque --config:opaque --upload-pack:opaque --bundle-uri:opaque"},
	{"commit", "commit", "git commit -m MESSAGE -- {own}", "-a!whole --all!whole -p!patch --patch!patch --interactive!whole -qvsnezio -m:text -F:read -t:read -C:text " +
		"-c:text -S?:text -u?:text --message:text --file:read --template:read --reuse-message:text --reedit-message:text --fixup:text " +
		"--squash:text --author:text --date:text --cleanup:text --signoff --no-signoff --no-verify --verify --amend --allow-empty --allow-empty-message " +
		"--no-edit --edit --quiet --verbose --include --only --untracked-files?:text --gpg-sign?:text --no-gpg-sign --dry-run --short " +
		"--porcelain --long --status --no-status --reset-author --no-post-rewrite --trailer:text --branch --null --pathspec-from-file:opaque --pathspec-file-nul"},
	{"commit-tree", "content", "git commit -m MESSAGE -- {own}", "*"},
	{"config", "config", "", "*"},
	{"count-objects", "pass", "", "*"},
	{"describe", "pass", "", "*"},
	{"diff", "diff", "+", "--cached --staged --merge-base --no-index!stop -0123 --base --ours --theirs" + diffOptions},
	{"diff-files", "raw", "+", "-0123q --base --ours --theirs" + diffOptions},
	{"diff-index", "raw", "+", "-m --cached --merge-base" + diffOptions},
	{"diff-tree", "raw", "+", "-m -v --stdin!opaque --always --merge-base --pretty?:text --format:text --oneline --notes?:text --no-notes" + diffOptions},
	{"fast-export", "content", "", "*"},
	{"fetch", "remote", "", "*"},
	{"for-each-ref", "pass", "", "*"},
	{"format-patch", "log", "+", "-kNqnv -o:put --output-directory:put --stdout --numbered --no-numbered --start-number:text --cover-letter --suffix:text " +
		"--subject-prefix:text --rfc?:text --signoff --attach?:text --inline?:text --thread?:text --in-reply-to:text --to:text --cc:text --no-cc --base:text " +
		"--signature:text --no-signature --signature-file:read --zero-commit --progress --keep-subject --reroll-count:text --interdiff:text " +
		"--range-diff:text --creation-factor:text --from?:text" + logOptions + diffOptions},
	{"fsck", "pass", "", "*"},
	{"gc", "pass", "", "*"},
	{"grep", "grep", "+", "-aiIvwWEGFPnHhcLlopqrz -# -e:text!nofirst -f:read!nofirst -A:text -B:text -C:text -m:text -O?:opaque --cached --untracked --no-index " +
		"--exclude-standard --no-exclude-standard --recurse-submodules --text --ignore-case --textconv --no-textconv --max-depth:text --recursive " +
		"--no-recursive --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings " +
		"--line-number --column --files-with-matches --name-only --files-without-match --open-files-in-pager?:opaque --null --only-matching " +
		"--count --color?:text --no-color --break --heading --show-function --function-context --context:text --after-context:text " +
		"--before-context:text --max-count:text --threads:text --and --or --not --all-match --quiet --ext-grep"},
	{"hash-object", "hash", "", "-w -t:text!whole --stdin --stdin-paths!opaque --path:text --no-filters --literally"},
	{"help", "pass", "", "*"},
	{"init", "init", "", "*"},
	{"log", "log", "+", logOptions + diffOptions},
	{"ls-files", "list", "+", "-cdomsukvtfz -i -x:text -X:read --exclude:text --exclude-from:read --exclude-per-directory:text --exclude-standard --cached " +
		"--deleted --modified --others --ignored --stage --unmerged --killed --resolve-undo --directory --no-empty-directory --eol --deduplicate " +
		"--error-unmatch --with-tree:text --full-name --recurse-submodules --abbrev?:text --debug --sparse --format:text"},
	{"ls-remote", "remote", "", "*"},
	{"ls-tree", "lstree", "git ls-tree -r HEAD {own}", "-dltz -r!recurse --long --name-only --name-status --object-only --full-name --full-tree!whole --abbrev?:text --format:text"},
	{"merge", "tree", "git checkout REV -- {own}", "*"},
	{"merge-base", "pass", "", "*"},
	{"merge-tree", "content", "git diff REV REV -- {own}", "*"},
	{"mktree", "content", "", "*"},
	{"mv", "paths", "", "-fknv --force --dry-run --verbose --sparse"},
	{"name-rev", "pass", "", "*"},
	{"notes", "pass", "", "*"},
	{"prune", "pass", "", "*"},
	{"pull", "tree", "git fetch && git checkout FETCH_HEAD -- {own}", "*"},
	{"push", "push", "", "*"},
	{"range-diff", "content", "git diff REV REV -- {own}", "*"},
	{"read-tree", "tree", "git checkout REV -- {own}", "*"},
	{"rebase", "tree", "", "*"},
	{"reflog", "log", "+", logOptions + diffOptions},
	{"remote", "remotes", "", "*"},
	{"reset", "reset", "git reset -- {own}", "-qNp --hard!whole --merge!whole --keep!whole --mixed --soft --quiet --no-quiet --refresh --no-refresh " +
		"--patch!patch --intent-to-add --recurse-submodules?:text --pathspec-from-file:opaque --pathspec-file-nul"},
	{"restore", "paths", "git restore -- {own}", "-SWqm -p!patch -s:text --source:text --staged --worktree --patch!patch --quiet --progress --no-progress --ours --theirs --merge " +
		"--conflict:text --ignore-unmerged --ignore-skip-worktree-bits --recurse-submodules --overlay --no-overlay --pathspec-from-file:opaque --pathspec-file-nul -U:text"},
	{"rev-list", "pass", "", "*"},
	{"rev-parse", "pass", "", "*"},
	{"revert", "tree", "git checkout REV -- {own}", "*"},
	{"rm", "paths", "", "-fnrq --force --dry-run --cached --ignore-unmatch --sparse --quiet --pathspec-from-file:opaque --pathspec-file-nul"},
	{"shortlog", "pass", "", "*"},
	{"show", "show", "+", logOptions + diffOptions},
	{"show-branch", "pass", "", "*"},
	{"show-ref", "pass", "", "*"},
	{"sparse-checkout", "sparse", "", "*"},
	{"stash", "stash", "git stash push -- {own}", "-kqSuN -a!stop --all!stop -p!patch --patch!patch -m:text --message:text --keep-index --no-keep-index --staged --include-untracked --no-include-untracked --quiet " +
		"--pathspec-from-file:opaque --pathspec-file-nul"},
	{"status", "raw", "git status", "-sbz -v!patch --verbose!patch -u?:text --short --branch --show-stash --porcelain?:text --long --untracked-files?:text " +
		"--ignore-submodules?:text --ignored?:text --column?:text --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?:text"},
	{"submodule", "submodule", "", "*"},
	{"switch", "switch", "git checkout REV -- {own}", "-fqdtm -c:text -C:text --create:text --force-create:text --orphan:text --detach --force --discard-changes --merge --conflict:text " +
		"--quiet --progress --no-progress --track?:text --no-track --guess --no-guess --ignore-other-worktrees --recurse-submodules?:text"},
	{"symbolic-ref", "pass", "", "*"},
	{"tag", "pass", "", "*"},
	{"update-index", "index", "", "-qz --add --remove --refresh --really-refresh --again!whole -g!whole --assume-unchanged --no-assume-unchanged --skip-worktree " +
		"--no-skip-worktree --force-remove --cacheinfo:text!whole --chmod:text --stdin!opaque --index-info!opaque --unmerged --ignore-missing --info-only --replace --verbose"},
	{"update-ref", "pass", "", "*"},
	{"var", "pass", "", "*"},
	{"verify-commit", "pass", "", "*"},
	{"version", "pass", "", "*"},
	{"whatchanged", "log", "+", logOptions + diffOptions},
	{"worktree", "worktree", "git checkout REV -- {own}", "*"},
	{"write-tree", "pass", "", "*"},
}

// harmlessConfig are the settings that -c may change: they run nothing and lead
// nowhere. One that ends with "." stands for all that begin so.
var harmlessConfig = []string{
	"color.", "user.name", "user.email", "author.name", "author.email", "committer.name", "committer.email", "core.quotepath", "advice.", "commit.gpgsign", "tag.gpgsign", "log.date", "log.decorate",
	"log.abbrevcommit", "diff.renames", "diff.algorithm", "diff.context", "diff.noprefix", "diff.mnemonicprefix", "diff.colormoved",
	"init.defaultbranch", "core.abbrev", "grep.linenumber", "merge.conflictstyle", "column.", "status.", "pull.rebase", "pull.ff",
	"core.autocrlf", "core.eol", "core.filemode", "core.longpaths", "gc.auto", "fetch.prune", "rebase.autostash", "http.lowspeedlimit",
	"http.lowspeedtime", "protocol.version", "diff.wserrorhighlight", "submodule.recurse", "push.default",
}
