package shell

// table says what the words of the commands that we know mean, sorted by name. A
// command that is not in it is opaque, and so is one with an option that its row
// does not have. What a row cannot say is in the special rules. To add a command,
// add its row here and its runs to testdata/runs.txt: the tests hold both against
// what the real program opens. nm and its like have none: any file may be an archive
// that names its members, which lie elsewhere.
var table = []row{
	{":", "text*", "", "*"},
	{"ag", "text search*", "search", "" +
		"-acDhHiILlnoQrRsStuUvVwz0 -g:text!nofirst -G:text -A?:text -B?:text -C?:text -m:text -W:text -p:read -f!follow --after?:text " +
		"--before?:text --context?:text --ackmate --all-text --all-types --break --nobreak --color --nocolor --column " +
		"--count --depth:text --file-search-regex:text --filename --nofilename --files-with-matches " +
		"--files-without-matches --fixed-strings --follow!follow --nofollow --group --nogroup --heading --noheading " +
		"--hidden --ignore:text --ignore-case --ignore-dir:text --invert-match --literal --match --max-count:text " +
		"--multiline --nomultiline --numbers --nonumbers --one-device --only-matching --path-to-ignore:read " +
		"--print-long-lines --recurse --norecurse --search-binary --search-files --search-zip --silent " +
		"--skip-vcs-ignores --smart-case --stats --stats-only --unrestricted --vimgrep --width:text --word-regexp " +
		"--workers:text --null --print-all-files --case-sensitive"},
	{"arch", "text*", "", "*"},
	{"awk", "text read*", "", "" +
		"-cCghMnNPrsStV -F:text -v:text -f:read!nofirst,opaque -i:opaque -l:opaque -E:opaque -e:text!nofirst -b -d?:put " +
		"-o?:put -p?:put -D?:opaque -W:text --field-separator:text --assign:text --file:read!nofirst,opaque " +
		"--source:text!nofirst --include:opaque --load:opaque --exec:opaque --posix --re-interval --traditional " +
		"--sandbox --csv --characters-as-bytes --bignum"},
	{"b2sum", "=md5sum", "", ""},
	{"base32", "=base64", "", ""},
	{"base64", "read*", "", "-di -w:text --decode --ignore-garbage --wrap:text -D"},
	{"basename", "text*", "", "-az -s:text --multiple --suffix:text --zero"},
	{"basenc", "read*", "", "" +
		"-di -w:text --decode --ignore-garbage --wrap:text --base64 --base64url --base32 --base32hex --base16 " +
		"--base2msbf --base2lsbf --z85"},
	{"bat", "read*", "", "" +
		"-nAPpfuS -l:text -r:text -H:text -m:text --line-range:text --language:text --style:text --color:text " +
		"--paging:text --decorations:text --number --plain --show-all --theme:text --wrap:text --tabs:text " +
		"--terminal-width:text --highlight-line:text --file-name:text --list-languages --list-themes " +
		"--diff-context:text --no-pager --force-colorization --squeeze-blank --pager:opaque --map-syntax:text " +
		"--diff!opaque -d!opaque"},
	{"batcat", "=bat", "", ""},
	{"bc", "read*", "", "-hilqsvw --interactive --mathlib --quiet --standard --warn"},
	{"bg", "text*", "", "*"},
	{"break", "text*", "", "*"},
	{"builtin", "cmd", "", ""},
	{"bunzip2", "=bzip2", "", ""},
	{"bzcat", "=zcat", "", ""},
	{"bzip2", "write*", "", "" +
		"-cdfkqtvszl0 -# -T:text -o:put --stdout --to-stdout --decompress --compress --force --keep --quiet --test " +
		"--verbose --small --fast --best --threads:text --list --extreme -e --rm"},
	{"caller", "text*", "", "*"},
	{"cat", "read*", "", "" +
		"-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting"},
	{"chgrp", "=chown", "", ""},
	{"chmod", "text write*", "", "" +
		"-cfvR --changes --silent --quiet --verbose --no-preserve-root --preserve-root --reference:enter!nofirst " +
		"--recursive -rwxXst!nofirst"},
	{"chown", "text write*", "", "" +
		"-cfvhPR -H!follow -L!follow --changes --silent --quiet --verbose --dereference --no-dereference --from:text --no-preserve-root " +
		"--preserve-root --reference:enter!nofirst --recursive"},
	{"cksum", "read*", "", "" +
		"-a:text -l:text --algorithm:text --base64 --raw --untagged --tag --zero -z --debug --length:text -c!opaque " +
		"--check!opaque"},
	{"clear", "text*", "", "*"},
	{"cloc", "search*", "search", "" +
		"--json --yaml --csv --quiet --by-file --vcs:opaque --exclude-dir:text --include-lang:text --exclude-lang:text " +
		"--exclude:text -e:text -t:text --type:text --files --sort:text -s:text --no-cocomo --md"},
	{"cmp", "read*", "", "" +
		"-bls -i:text -n:text --print-bytes --ignore-initial:text --verbose --bytes:text --quiet --silent"},
	{"colordiff", "=diff", "", ""},
	{"column", "read*", "", "" +
		"-Jtxe -c:text -s:text -o:text -N:text -R:text -T:text -E:text -H:text -O:text -W:text -n:text -l:text -r:text " +
		"-i:text -p:text -d -L --table --separator:text --output-separator:text --output-width:text " +
		"--table-columns:text --table-right:text --table-noextreme:text --table-hide:text --table-order:text " +
		"--table-wrap:text --json --fillrows --keep-empty-lines --table-name:text"},
	{"comm", "read*", "", "-123z --check-order --nocheck-order --output-delimiter:text --total --zero-terminated"},
	{"command", "cmd", "", "-pvV"},
	{"continue", "text*", "", "*"},
	{"cp", "text*", "", "" +
		"-abdfHilnPprRsuvxZ --archive --attributes-only --backup?:text --force --interactive --dereference!follow " +
		"--link --no-clobber --no-dereference --preserve?:text --no-preserve:text --parents --recursive --reflink?:text " +
		"--remove-destination --sparse:text --strip-trailing-slashes --symbolic-link --no-target-directory!single " +
		"--update?:text --verbose --one-file-system --context?:text --debug -L!follow -T!single -S:text --suffix:text " +
		"-t:put --target-directory:put"},
	{"curl", "text*", "", "" +
		"-aBfgGIijklLnNOpqRsSvZ#0123468 -A:text -b:read -c:put -C:text -d:text -D:put -e:text -E:read -F:text -h:text " +
		"-H:text -K:opaque -m:text -o:put -P:text -Q:text -r:text -t:text -T:read -u:text -U:text -w:text -x:text " +
		"-X:text -y:text -Y:text -z:text --data:text --data-raw:text --data-binary:text --data-ascii:text " +
		"--data-urlencode:text --json:text --form:text --form-string:text --header:text --request:text --user:text " +
		"--user-agent:text --output:put --output-dir:put --remote-name --remote-name-all --remote-header-name " +
		"--location --location-trusted --fail --fail-with-body --silent --show-error --verbose --include --head " +
		"--insecure --compressed --max-time:text --connect-timeout:text --retry:text --retry-delay:text " +
		"--retry-max-time:text --retry-all-errors --retry-connrefused --cookie:read --cookie-jar:put --dump-header:put " +
		"--write-out:text --url:text --proxy:text --noproxy:text --resolve:text --http1.1 --http2 --tlsv1.2 --tlsv1.3 " +
		"--cacert:read --cert:read --key:read --get --globoff --no-buffer --progress-bar --no-progress-meter " +
		"--upload-file:read --range:text --referer:text --create-dirs --max-redirs:text --oauth2-bearer:text " +
		"--unix-socket:enter --stderr:put --trace:put --trace-ascii:put --ipv4 --ipv6 --parallel --config:opaque " +
		"--netrc --netrc-file:read --path-as-is --limit-rate:text --max-filesize:text --interface:text " +
		"--keepalive-time:text --no-keepalive --disable"},
	{"cut", "read*", "", "" +
		"-nsz -b:text -c:text -d:text -f:text --bytes:text --characters:text --delimiter:text --fields:text " +
		"--complement --only-delimited --output-delimiter:text --zero-terminated"},
	{"date", "text*", "", "" +
		"-uR -I?:text -d:text -r:enter -s:text --date:text --reference:enter --set:text --utc --universal " +
		"--iso-8601?:text --rfc-3339:text --rfc-email --debug -f:read --file:read"},
	{"df", "enter*", "", "" +
		"-ahHiklPTv -B:text -t:text -x:text --all --block-size:text --human-readable --inodes --local --no-sync --sync " +
		"--output?:text --portability --print-type --type:text --exclude-type:text --total --si"},
	{"diff", "search*", "", "" +
		"-abBcdeEiHlnNpPqrstTuwyZ -# -D:text -C:text -U:text -F:text -I:text -L:text -S:text -W:text -x:text -X:read --normal " +
		"--brief --report-identical-files --context?:text --unified?:text --ed --rcs --side-by-side --left-column " +
		"--suppress-common-lines --show-c-function --show-function-line:text --label:text --expand-tabs --initial-tab " +
		"--tabsize:text --suppress-blank-empty --paginate --recursive --no-dereference --new-file " +
		"--unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case --exclude:text " +
		"--exclude-from:read --starting-file:text --from-file:search --to-file:search --ignore-case " +
		"--ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines " +
		"--ignore-matching-lines:text --text --strip-trailing-cr --ifdef:text --line-format:text --old-line-format:text " +
		"--new-line-format:text --unchanged-line-format:text --minimal --horizon-lines:text --speed-large-files " +
		"--color?:text --palette:text --width:text"},
	{"diff3", "read*", "", "" +
		"-aAbBdeEilmsTwWXx3 --merge --text --show-all --easy-only --ed --strip-trailing-cr --ignore-case " +
		"--ignore-all-space --side-by-side --suppress-common-lines --minimal -o:put --output:put --label:text -L:text " +
		"--width:text -I:text --diff-program:opaque"},
	{"dir", "=ls", "", ""},
	{"dirname", "text*", "", "-z --zero"},
	{"dirs", "text*", "", "*"},
	{"disown", "text*", "", "*"},
	{"doas", "cmd", "", "-nL -u:text -C:opaque -a:text -s!opaque"},
	{"dos2unix", "write*", "", "-fkqsvbF -c:text -n!opaque --force --keepdate --quiet --safe"},
	{"du", "search*", "search", "" +
		"-0abchHkmPsSx -# -B:text -d:text -t:text -X:read -D!follow -L!follow -l --null --all --apparent-size " +
		"--block-size:text --bytes --total --dereference-args!follow --max-depth:text --human-readable --inodes " +
		"--count-links --dereference!follow --no-dereference --separate-dirs --si --summarize --threshold:text " +
		"--time?:text --time-style:text --exclude-from:read --exclude:text --one-file-system --files0-from:opaque"},
	{"echo", "text*", "", "*"},
	{"egrep", "=grep", "", ""},
	{"env", "cmd", "", "" +
		"-0iv -u:text -C:enter -S:opaque --ignore-environment --null --unset:text --chdir:enter --split-string:opaque " +
		"--debug --block-signal?:text --default-signal?:text --ignore-signal?:text --argv0:text -a:text"},
	{"exa", "list*", "list", "" +
		"-1aAbBDeFfgGhHilmnOrSuUxXZ -d!outside -R!recurse -T!recurse -L:text -I:text -s:text -t:text -w:text --all " +
		"--almost-all --long --oneline --grid --across --recurse!recurse --tree!recurse --list-dirs!outside " +
		"--level:text --sort:text --time:text --time-style:text --color?:text --colour?:text --icons?:text --git " +
		"--git-ignore --group --header --no-user --no-permissions --no-filesize --no-time --ignore-glob:text " +
		"--group-directories-first --reverse --only-dirs --only-files --classify?:text --inode --links --binary --bytes " +
		"--width:text"},
	{"exec", "cmd", "", "-cl -a:text"},
	{"expand", "read*", "", "-i -# -t:text --initial --tabs:text"},
	{"expr", "text*", "", "*"},
	{"eza", "=exa", "", ""},
	{"factor", "text*", "", ""},
	{"false", "text*", "", "*"},
	{"fd", "text search*", "search", "" +
		"-0HIuFgisaplqh1 -d:text -e:text -E:text -t:text -j:text -S:text -c:text -o:text -x!stop -X!stop -L!follow " +
		"--hidden --no-ignore --no-ignore-vcs --no-ignore-parent --unrestricted --case-sensitive --ignore-case --glob " +
		"--regex --fixed-strings --absolute-path --list-details --follow!follow --full-path --max-depth:text " +
		"--min-depth:text --exact-depth:text --exclude:text --prune --type:text --extension:text --size:text " +
		"--changed-within:text --changed-before:text --newer:text --older:text --owner:text --color:text --threads:text " +
		"--max-results:text --quiet --show-errors --strip-cwd-prefix?:text --one-file-system --print0 " +
		"--path-separator:text --and:text --no-hidden --ignore --relative-path --format:text --hyperlink?:text " +
		"--search-path:search!nofirst --base-directory:opaque --ignore-file:read --exec!stop --exec-batch!stop " +
		"--batch-size:text"},
	{"fdfind", "=fd", "", ""},
	{"fg", "text*", "", "*"},
	{"fgrep", "=grep", "", ""},
	{"file", "read*", "", "" +
		"-bdDEhiIkLlNnprsSvzZ0 -e:text -F:text -m:paths -P:text -f:opaque --brief --mime --mime-type --mime-encoding " +
		"--dereference --no-dereference --keep-going --raw --separator:text --magic-file:paths --extension " +
		"--exclude:text --uncompress --no-pad --print0 --special-files --preserve-date --no-buffer --files-from:opaque"},
	{"fmt", "read*", "", "" +
		"-cstu -# -p:text -w:text -g:text --crown-margin --prefix:text --split-only --tagged-paragraph " +
		"--uniform-spacing --width:text --goal:text"},
	{"fold", "read*", "", "-bs -# -w:text --bytes --spaces --width:text"},
	{"free", "text*", "", "" +
		"-bkmghltvw -s:text -c:text --human --bytes --kibi --mebi --gibi --total --wide --lohi --seconds:text " +
		"--count:text --si"},
	{"gawk", "=awk", "", ""},
	{"getconf", "text*", "", "*"},
	{"getfacl", "read*", "", "-acdeEsnpPt -L!follow -R!recurse --recursive!recurse"},
	{"gofmt", "search*", "", "-des -w!write -l -r:text -cpuprofile:put"},
	{"gojq", "=jq", "", ""},
	{"grep", "text read*", "", "" +
		"-EFGPivwxcLlqsbHhnToaUzZyVIu -# -e:text!nofirst -f:read!nofirst -m:text -A:text -B:text -C:text -D:text " +
		"-d:text!recurse -r!recurse -R!recurse,follow --extended-regexp --fixed-strings --basic-regexp --perl-regexp " +
		"--regexp:text!nofirst --file:read!nofirst --ignore-case --no-ignore-case --invert-match --word-regexp " +
		"--line-regexp --count --color?:text --colour?:text --files-without-match --files-with-matches --max-count:text " +
		"--only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label:text " +
		"--line-number --initial-tab --null --null-data --after-context:text --before-context:text --context:text " +
		"--group-separator:text --no-group-separator --text --binary-files:text --binary --devices:text " +
		"--directories:text!recurse --exclude:text --exclude-from:read --exclude-dir:text --include:text " +
		"--recursive!recurse --dereference-recursive!recurse,follow --line-buffered --unix-byte-offsets"},
	{"groups", "=whoami", "", ""},
	{"gsed", "=sed", "", ""},
	{"gunzip", "=gzip", "", ""},
	{"gzcat", "=zcat", "", ""},
	{"gzip", "write*", "", "" +
		"-acfklLnqtvVd -# -N!opaque -r!recurse -S:text --stdout --to-stdout --decompress --uncompress --force --keep --list " +
		"--no-name --name!opaque --quiet --recursive --suffix:text --test --verbose --fast --best"},
	{"hash", "text*", "", "-dlrt -p:opaque"},
	{"hd", "=hexdump", "", ""},
	{"head", "read*", "", "" +
		"-qvz -# -n:text -c:text --lines:text --bytes:text --quiet --silent --verbose --zero-terminated"},
	{"hexdump", "read*", "", "" +
		"-bcCdovxX -e:text -f:read -n:text -s:text --canonical --length:text --skip:text --no-squeezing --color?:text"},
	{"hostname", "text*", "", "" +
		"-aAdfiIsy --all-fqdns --all-ip-addresses --alias --domain --fqdn --long --ip-address --short -F:read " +
		"--file:read"},
	{"iconv", "read*", "", "" +
		"-lcs -f:text -t:text -o:put --from-code:text --to-code:text --output:put --list --silent --verbose"},
	{"id", "=whoami", "", ""},
	{"install", "text*", "", "" +
		"-bcCDpsvZ -d!stop -T!single -g:text -m:text -o:text -S:text -t:put --backup?:text --compare --directory!stop " +
		"--group:text --mode:text --owner:text --preserve-timestamps --strip --strip-program:opaque --suffix:text " +
		"--target-directory:put --no-target-directory!single --verbose --preserve-context --context?:text"},
	{"ionice", "cmd", "", "-t -c:text -n:text -p:text -P:text -u:text --class:text --classdata:text --ignore"},
	{"jobs", "text*", "", "*"},
	{"join", "read*", "", "" +
		"-iz -a:text -e:text -j:text -o:text -t:text -v:text -1:text -2:text --ignore-case --check-order " +
		"--nocheck-order --header --zero-terminated"},
	{"jq", "text read*", "", "" +
		"-acCejMnrRsS -f:read!nofirst,opaque -L:opaque -i!write --arg:text+text --argjson:text+text " +
		"--slurpfile:text+read --rawfile:text+read --args!stop --jsonargs!stop --from-file:read!nofirst,opaque " +
		"--ascii-output --color-output --monochrome-output --compact-output --exit-status --join-output --null-input " +
		"--raw-input --raw-output --raw-output0 --slurp --sort-keys --tab --indent:text --seq --stream --stream-errors " +
		"--unbuffered --binary -b --library-path:opaque"},
	{"kill", "text*", "", "*"},
	{"less", "read*", "", "" +
		"-acCdeEfFgGiIJKLmMnNqQrRsSuUVwWX -# -b:text -h:text -j:text -p:text -P:text -x:text -y:text -z:text -o:put " +
		"-O:put -t:opaque -T:opaque -k:opaque -D:text --quit-if-one-screen --no-init --raw-control-chars " +
		"--RAW-CONTROL-CHARS --chop-long-lines --LINE-NUMBERS --log-file:put --LOG-FILE:put --pattern:text --plain " +
		"--squeeze --silent --ignore-case --lesskey-src:opaque --lesskey-file:opaque"},
	{"link", "text*", "", ""},
	{"ln", "text*", "", "" +
		"-bdfFiLnPrsv -T!single -S:text -t:put --backup?:text --directory --force --interactive --logical " +
		"--no-dereference --physical --relative --symbolic --suffix:text --target-directory:put " +
		"--no-target-directory!single --verbose"},
	{"logname", "text*", "", "*"},
	{"ls", "list*", "list", "" +
		"-1aAbBcCDfFgGhHiklmnNopqQrsStuUvxXZ -L!follow -I:text -T:text -w:text -d!outside -R!recurse --all --almost-all --author " +
		"--escape --block-size:text --ignore-backups --color?:text --colour?:text --directory!outside --dired " +
		"--file-type --format:text --full-time --group-directories-first --no-group --human-readable --si " +
		"--dereference-command-line --dereference-command-line-symlink-to-dir --hide:text --hyperlink?:text " +
		"--indicator-style:text --inode --ignore:text --kibibytes --dereference!follow --numeric-uid-gid --literal " +
		"--hide-control-chars --show-control-chars --quote-name --quoting-style:text --reverse --recursive!recurse " +
		"--size --sort:text --time:text --time-style:text --tabsize:text --width:text --context --zero --classify?:text"},
	{"lsattr", "list*", "list", "-adlpvV -R!recurse"},
	{"mapfile", "text*", "", "-t -c:text -C:opaque -d:text -n:text -O:text -s:text -u:text"},
	{"mawk", "=awk", "", ""},
	{"md5sum", "read*", "", "" +
		"-btzw -l:text -c!opaque --binary --text --tag --zero --quiet --status --strict --warn --ignore-missing " +
		"--length:text --check!opaque"},
	{"mkdir", "put*", "", "-pvZ -m:text --mode:text --parents --verbose --context?:text"},
	{"mkfifo", "put*", "", "-Z -m:text --mode:text"},
	{"mktemp", "put*", "", "-dqtu -p:put --directory --dry-run --quiet --suffix:text --tmpdir?:put"},
	{"more", "read*", "", "-cdefilnpsuV -# --silent --logical --exit-on-eof --no-pause --print-over --clean-print --squeeze --plain --lines:text"},
	{"mv", "text*", "", "" +
		"-bfinuvZ -T!single -S:text -t:put --backup?:text --force --interactive --no-clobber --no-copy --exchange " +
		"--strip-trailing-slashes --suffix:text --target-directory:put --no-target-directory!single --update?:text " +
		"--verbose --context --debug"},
	{"nawk", "=awk", "", ""},
	{"nice", "cmd", "", "-# -n:text --adjustment:text"},
	{"nl", "read*", "", "" +
		"-p -b:text -d:text -f:text -h:text -i:text -l:text -n:text -s:text -v:text -w:text --body-numbering:text " +
		"--header-numbering:text --footer-numbering:text --no-renumber --number-format:text --number-separator:text " +
		"--number-width:text --section-delimiter:text --starting-line-number:text --line-increment:text " +
		"--join-blank-lines:text"},
	{"nohup", "cmd", "", ""},
	{"nproc", "text*", "", "--all --ignore:text"},
	{"numfmt", "text*", "", "" +
		"-z -d:text --debug --delimiter:text --field:text --format:text --from:text --from-unit:text --grouping " +
		"--header?:text --invalid:text --padding:text --round:text --suffix:text --to:text --to-unit:text " +
		"--zero-terminated"},
	{"od", "read*", "", "" +
		"-abcdfilosvx -A:text -j:text -N:text -S?:text -t:text -w?:text --address-radix:text --endian:text " +
		"--skip-bytes:text --read-bytes:text --strings?:text --format:text --output-duplicates --width?:text " +
		"--traditional"},
	{"paste", "read*", "", "-sz -d:text --delimiters:text --serial --zero-terminated"},
	{"patch", "write read*", "", "" +
		"-bEflnNRstTuZ -# -e!opaque -p:text -F:text -V:text -z:text -B:opaque -Y:opaque -D:text -g:opaque -i:read -d:enter -o:put " +
		"-r:put --strip:text --fuzz:text --forward --reverse --silent --quiet --batch --force --dry-run --verbose " +
		"--backup --no-backup-if-mismatch --backup-if-mismatch --input:read --directory:enter --output:put " +
		"--reject-file:put --unified --context --normal --remove-empty-files --binary --posix --ignore-whitespace " +
		"--reject-format:text --merge?:text --suffix:text --prefix:opaque --basename-prefix:opaque --version-control:text --ed!opaque"},
	{"pathchk", "enter*", "", "-pP --portability"},
	{"pgrep", "text*", "", "" +
		"-lafnovwxciLhVe -# -P:text -u:text -U:text -g:text -s:text -t:text -d:text -G:text -r:text --signal:text " +
		"--full --exact --newest --oldest --ignore-case --list-name --list-full --parent:text --delimiter:text --count " +
		"--inverse --euid:text --uid:text -F:read --pidfile:read"},
	{"ping", "text*", "", "" +
		"-46aAbBdDfhLnOqrRUv -c:text -i:text -I:text -l:text -m:text -M:text -p:text -Q:text -s:text -S:text -t:text " +
		"-T:text -w:text -W:text"},
	{"pkill", "=pgrep", "", ""},
	{"pr", "read*", "", "" +
		"-acdFfJmrtTv -# -D:text -e?:text -h:text -i?:text -l:text -n?:text -N:text -o:text -s?:text -S?:text -w:text " +
		"-W:text --columns:text --across --double-space --header:text --length:text --merge --omit-header --width:text " +
		"--indent:text"},
	{"printenv", "text*", "", "-0 --null"},
	{"printf", "text*", "", "*"},
	{"ps", "text*", "", "*"},
	{"pwd", "text*", "", "-LPW --logical --physical"},
	{"read", "text*", "", "-ers -a:text -d:text -i:text -n:text -N:text -p:text -t:text -u:text"},
	{"readarray", "=mapfile", "", ""},
	{"readlink", "enter*", "", "" +
		"-femnqsvzLP --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent " +
		"--verbose --zero --logical --physical --strip --no-symlinks --relative-to:enter --relative-base:enter"},
	{"realpath", "=readlink", "", ""},
	{"reset", "text*", "", "*"},
	{"rev", "read*", "", "-0V --zero"},
	{"rg", "text search*", "search", "" +
		"-.0FHINPSUVabchilnopqsuvwxz -A:text -B:text -C:text -E:text -M:text -T:text -d:text -e:text!nofirst " +
		"-f:read!nofirst -g:text -j:text -m:text -r:text -t:text -L!follow --follow!follow --no-follow --files!nofirst " +
		"--type-list!nofirst --regexp:text!nofirst --file:read!nofirst --after-context:text --before-context:text " +
		"--context:text --context-separator:text --no-context-separator --field-context-separator:text " +
		"--field-match-separator:text --encoding:text --no-encoding --max-columns:text --max-columns-preview " +
		"--max-depth:text --maxdepth:text --max-filesize:text --max-count:text --glob:text --iglob:text " +
		"--glob-case-insensitive --ignore-file:read --ignore-file-case-insensitive --type:text --type-not:text " +
		"--type-add:text --type-clear:text --replace:text --threads:text --sort:text --sortr:text --color:text " +
		"--colors:text --engine:text --path-separator:text --dfa-size-limit:text --regex-size-limit:text " +
		"--hyperlink-format:text --hidden --no-hidden --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files " +
		"--no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --ignore --ignore-vcs " +
		"--unrestricted --case-sensitive --ignore-case --smart-case --fixed-strings --no-fixed-strings --word-regexp " +
		"--line-regexp --invert-match --multiline --multiline-dotall --pcre2 --auto-hybrid-regex --crlf --null-data " +
		"--text --binary --search-zip --no-config --no-require-git --one-file-system --mmap --no-mmap --line-buffered " +
		"--block-buffered --stop-on-nonmatch --column --no-column --count --count-matches --heading --no-heading --json " +
		"--include-zero --line-number --no-line-number --null --only-matching --passthru --passthrough --pretty --quiet " +
		"--stats --no-stats --trim --vimgrep --with-filename --no-filename --files-with-matches --files-without-match " +
		"--byte-offset --no-messages --messages --debug --trace --no-unicode --unicode --pcre2-version --sort-files " +
		"--pre:opaque --pre-glob:text --hostname-bin:opaque --generate:text"},
	{"rm", "write*", "", "" +
		"-dfiIrRvW --force --interactive?:text --one-file-system --no-preserve-root --preserve-root?:text --recursive " +
		"--dir --verbose"},
	{"rmdir", "write*", "", "-pv --parents --verbose --ignore-fail-on-non-empty"},
	{"rsync", "text*", "", "" +
		"-abcCdDghHiIjJlmnNoOpPqrRStuUvWxXyzAE0 -L!follow -k!follow -f:opaque -B:text -T:put -e:opaque -M:opaque -@:text " +
		"--archive --verbose --quiet --recursive --relative --no-implied-dirs --update --inplace --append --dirs " +
		"--links --copy-links!follow --copy-unsafe-links!follow --copy-dirlinks!follow --keep-dirlinks!opaque --hard-links " +
		"--perms --executability --chmod:text --acls --xattrs --owner --group --devices --specials --times " +
		"--omit-dir-times --dry-run --whole-file --checksum --one-file-system --existing --ignore-existing " +
		"--remove-source-files!write --delete --delete-before --delete-during --delete-after --delete-excluded --force " +
		"--max-delete:text --max-size:text --min-size:text --partial --size-only --compress --filter:opaque " +
		"--exclude:text --exclude-from:read --include:text --include-from:read --files-from:opaque --stats " +
		"--human-readable --progress --info:text --itemize-changes --out-format:text --log-file:put --bwlimit:text " +
		"--no-perms --no-owner --no-group --numeric-ids --mkpath --backup --backup-dir:put --suffix:text --temp-dir:put " +
		"--partial-dir:put --compare-dest:search --copy-dest:search --link-dest:search --rsh:opaque --rsync-path:opaque " +
		"--timeout:text --cvs-exclude"},
	{"sdiff", "=diff3", "", ""},
	{"sed", "text read*", "", "" +
		"-nrEsuz -l:text -i?:text!write -e:text!nofirst -f:read!nofirst,opaque --quiet --silent --debug " +
		"--expression:text!nofirst --file:read!nofirst,opaque --follow-symlinks --in-place?:text!write " +
		"--line-length:text --posix --regexp-extended --separate --sandbox --unbuffered --null-data"},
	{"seq", "text*", "", "-w -# -f:text -s:text --format:text --separator:text --equal-width"},
	{"setsid", "cmd", "", "-cfw --ctty --fork --wait"},
	{"sha1sum", "=md5sum", "", ""},
	{"sha224sum", "=md5sum", "", ""},
	{"sha256sum", "=md5sum", "", ""},
	{"sha384sum", "=md5sum", "", ""},
	{"sha512sum", "=md5sum", "", ""},
	{"shasum", "read*", "", "-btUpqswS -a:text -c!opaque --algorithm:text --binary --text --portable --check!opaque"},
	{"shfmt", "search*", "", "" +
		"-dlsfmp -i:text -ln:text -w!write -ci! -bn! -sr! -kp! -fn! -mn! --diff --list --indent:text " +
		"--language-dialect:text --write!write --simplify --find --posix --case-indent --binary-next-line " +
		"--space-redirects --minify --to-json --from-json --filename:text"},
	{"shred", "write*", "", "" +
		"-fuvxz -n:text -s:text --force --iterations:text --random-source:read --size:text --remove?:text --verbose " +
		"--exact --zero"},
	{"shuf", "read*", "", "" +
		"-erz -i:text -n:text -o:put --echo!opaque --input-range:text --head-count:text --output:put " +
		"--random-source:read --repeat --zero-terminated"},
	{"sleep", "text*", "", "*"},
	{"sort", "read*", "", "" +
		"-bdfghiMnrRsucCmVz -k:text -t:text -S:text -o:put -T:put --ignore-leading-blanks --dictionary-order " +
		"--ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort " +
		"--random-sort --random-source:read --reverse --sort:text --version-sort --batch-size:text --check?:text " +
		"--debug --key:text --merge --output:put --stable --buffer-size:text --field-separator:text " +
		"--temporary-directory:put --parallel:text --unique --zero-terminated --compress-program:opaque " +
		"--files0-from:opaque"},
	{"split", "read text", "", "" +
		"-dexuv -# -a:text -b:text -C:text -l:text -n:text -t:text --suffix-length:text --additional-suffix:text " +
		"--bytes:text --line-bytes:text --numeric-suffixes?:text --hex-suffixes?:text --elide-empty-files --lines:text " +
		"--number:text --separator:text --unbuffered --verbose --filter:opaque"},
	{"sponge", "put", "", "-a"},
	{"stat", "enter*", "", "" +
		"-fLnqrstFlx -c:text --format:text --printf:text --dereference --file-system --terse --cached:text"},
	{"stdbuf", "cmd", "", "-i:text -o:text -e:text --input:text --output:text --error:text"},
	{"strings", "read*", "", "" +
		"-afowd -# -n:text -t:text -e:text -T:text -s:text -U:text --all --bytes:text --data --encoding:text " +
		"--print-file-name --radix:text --output-separator:text --include-all-whitespace --target:text"},
	{"sudo", "cmd", "", "" +
		"-bHknKPSE -g:text -h:text -p:text -u:text -U:text -r:text -t:text -C:text -T:text -A!opaque -D:opaque " +
		"-R:opaque -i!opaque -s!opaque -e!opaque -l -v --user:text --group:text --non-interactive --preserve-env?:text " +
		"--set-home --stdin --reset-timestamp --validate --list --chdir:opaque --chroot:opaque --login!opaque " +
		"--shell!opaque --edit!opaque --prompt:text"},
	{"sum", "read*", "", "-rs --sysv"},
	{"sync", "read*", "", "-df --data --file-system"},
	{"tac", "read*", "", "-br -s:text --before --regex --separator:text"},
	{"tail", "read*", "", "" +
		"-fFqrvz -# -n:text -c:text -s:text --lines:text --bytes:text --follow?:text --retry --pid:text " +
		"--max-unchanged-stats:text --sleep-interval:text --quiet --silent --verbose --zero-terminated"},
	{"tee", "put*", "", "-aip --append --ignore-interrupts --output-error?:text"},
	{"time", "cmd", "", "" +
		"-apv -o:put -f:text --append --format:text --output:put --portability --verbose --quiet -q"},
	{"timeout", "text cmd", "", "" +
		"-v -k:text -s:text -f -p --foreground --kill-after:text --preserve-status --signal:text --verbose"},
	{"times", "text*", "", "*"},
	{"touch", "put*", "", "" +
		"-acfhm -d:text -r:enter -t:text --date:text --no-create --no-dereference --reference:enter --time:text"},
	{"tput", "text*", "", "*"},
	{"tr", "text*", "", "-cCdst --complement --delete --squeeze-repeats --truncate-set1"},
	{"tree", "search*", "search", "" +
		"-aACdDfFgGhiJnNpqQrsStuUvxX -L:text -P:text -I:text -T:text -H:text -o:put -l!follow --filelimit:text " +
		"-R!opaque --prune --noreport --dirsfirst --filesfirst --gitignore --gitfile:read --matchdirs --ignore-case " +
		"--charset:text --timefmt:text --sort?:text --si --du --inodes --device --metafirst --info --infofile:read " +
		"--hintro:read --houtro:read --fromfile!opaque --fromtabfile!opaque --nolinks"},
	{"true", "text*", "", "*"},
	{"truncate", "put*", "", "-co -r:enter -s:text --no-create --io-blocks --reference:enter --size:text"},
	{"tsort", "read*", "", ""},
	{"tty", "text*", "", "-s --silent --quiet"},
	{"type", "text*", "", "-aftpP"},
	{"ulimit", "text*", "", "*"},
	{"umask", "text*", "", "*"},
	{"unalias", "text*", "", "*"},
	{"uname", "text*", "", "" +
		"-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor " +
		"--hardware-platform --operating-system"},
	{"unexpand", "read*", "", "-a -# -t:text --all --first-only --tabs:text"},
	{"uniq", "read put*", "", "" +
		"-cdDiuz -# -f:text -s:text -w:text --count --repeated --all-repeated?:text --skip-fields:text --group?:text " +
		"--ignore-case --skip-chars:text --unique --zero-terminated --check-chars:text"},
	{"unix2dos", "=dos2unix", "", ""},
	{"unlink", "write", "", ""},
	{"unxz", "=bzip2", "", ""},
	{"unzip", "text*", "", "" +
		"-aAbBcCDfjKLMnNoqsTuUVWX -d:put -x:text -P:text -l!outside -t!outside -v!outside -p!outside -z!outside " +
		"-Z!outside"},
	{"unzstd", "=bzip2", "", ""},
	{"uptime", "text*", "", "-ps --pretty --since"},
	{"users", "read*", "", "*"},
	{"vdir", "=ls", "", ""},
	{"wait", "text*", "", "*"},
	{"watch", "cmd", "", "" +
		"-bcCdegprtwx -n:text -q:text --beep --color --no-color --differences?:text --errexit --chgexit --interval:text " +
		"--precise --no-title --exec --no-wrap --equexit:text"},
	{"wc", "read*", "", "" +
		"-clmLw --bytes --chars --lines --max-line-length --words --total:text --files0-from:opaque"},
	{"wget", "text*", "", "" +
		"-bcdhNqSvEHkKLnF4V6 -x!stop -p!stop -a:put -A:text -B:text -D:text -e:opaque -i:opaque -I:text -l:text -o:put -O:put -P:put " +
		"-Q:text -R:text -t:text -T:text -U:text -w:text -X:text -nv! -nc! -nd! -nH! -np! -r!stop -m!stop " +
		"--recursive!stop --mirror!stop --output-document:put --output-file:put --append-output:put " +
		"--directory-prefix:put --quiet --verbose --no-verbose --continue --timestamping --server-response --spider " +
		"--timeout:text --tries:text --wait:text --header:text --user-agent:text --user:text --password:text " +
		"--post-data:text --post-file:read --body-file:read --body-data:text --method:text --no-check-certificate " +
		"--content-disposition --max-redirect:text --referer:text --load-cookies:read --save-cookies:put " +
		"--input-file:opaque --execute:opaque --config:opaque --show-progress --progress:text --no-clobber " +
		"--limit-rate:text --retry-connrefused --inet4-only --inet6-only --no-proxy --compression:text " +
		"--use-askpass:opaque"},
	{"which", "text*", "", "-as --all --skip-dot --skip-tilde --tty-only"},
	{"whoami", "text*", "", "-aGgnruzZ --group --groups --name --real --user --zero --context"},
	{"xargs", "cmd", "", "" +
		"-0prtx -a:opaque -d:text -E:text -e?:text -I:text -i?:text -L:text -l?:text -n:text -P:text -s:text --null " +
		"--arg-file:opaque --delimiter:text --eof?:text --replace?:text --max-lines?:text --max-args:text " +
		"--max-procs:text --interactive --no-run-if-empty --max-chars:text --show-limits --verbose --exit --open-tty " +
		"--process-slot-var:opaque"},
	{"xmllint", "read*", "", "" +
		"--noout --format --xpath:text --pattern:text --recover --encode:text --c14n!opaque --html --compress --debug " +
		"--nowarning --noblanks --pretty:text --nonet --valid!opaque --schema:opaque --dtdvalid:opaque --relaxng:opaque " +
		"--output:put -o:put --xinclude!opaque --path:opaque --catalogs!opaque --shell!opaque"},
	{"xxd", "read put*", "", "" +
		"-abCeEiprudv -c:text -g:text -l:text -n:text -o:text -s:text -R:text -cols:text -len:text -seek:text -ps! " +
		"-plain! -revert! -include! -bits! -uppercase!"},
	{"xz", "=bzip2", "", ""},
	{"xzcat", "=zcat", "", ""},
	{"yes", "text*", "", "*"},
	{"yq", "text read*", "", "" +
		"-0CjMnNPrv -i!write -o:text -p:text -I:text --inplace!write --output-format:text --input-format:text " +
		"--indent:text --raw-output --null-input --no-doc --prettyPrint --colors --exit-status -e --unwrapScalar?:text " +
		"-y -Y -S -c --front-matter:text --from-file:opaque --split-exp:opaque -s:opaque"},
	{"zcat", "read*", "", "-cdfhklLqtvV -# --stdout --force --quiet --verbose"},
	{"zegrep", "=zgrep", "", ""},
	{"zfgrep", "=zgrep", "", ""},
	{"zgrep", "text read*", "", "-EFGPivwxcLlqsbHhnoaz -# -e:text!nofirst -f:read!nofirst -m:text -A:text -B:text -C:text"},
	{"zip", "text*", "", "" +
		"-0123456789jmqyzoADeFgJLTuvXdfcS -b:put -n:text -x:text -i:text -t:text -tt:text -O:put -P:text -r!recurse " +
		"-R!recurse -@!opaque -TT:opaque --recurse-paths!recurse --exclude:text --include:text --quiet --symlinks " +
		"--output-file:put --unzip-command:opaque --junk-paths"},
	{"zstd", "=bzip2", "", ""},
	{"zstdcat", "=zcat", "", ""},
}
