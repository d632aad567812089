# What CI runs is "make test". "make bench" writes docs/performance.md, "make
# soak" takes hours' worth of luck in some minutes; neither is part of it.

STATICCHECK := $(CURDIR)/bin/tools/staticcheck
STATICCHECK_VERSION := v0.8.2
FLAGS := -trimpath -ldflags "-s -w"
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64

FUZZTIME ?= 30s
# A fuzz target and its package, as Name@./package/.
FUZZ := $(shell grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sed -E 's,^(.*/)[^/]*:func (.*),\2@\1,' | sort)

.PHONY: build test format vet staticcheck go-test lines cases e2e fuzz $(FUZZ) cross $(PLATFORMS) bench soak cover clean

# Without cgo: a library of flags imports net, and with it the C library, whose
# loading costs every command more than its work.
build:
	CGO_ENABLED=0 go build $(FLAGS) -o bin/ ./cmd/...

test: format vet staticcheck cross go-test lines cases e2e fuzz

format:
	@out=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$out" || { echo "not formatted:"; echo "$$out"; exit 1; }

vet:
	go vet ./...
	go vet -tags killpoints ./store/file
	go vet -tags e2e ./e2e/...

staticcheck: $(STATICCHECK)
	$(STATICCHECK) ./...

$(STATICCHECK):
	GOBIN=$(dir $@) go install honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK_VERSION)

# The planted bugs are part of it: a test of guard builds them.
go-test:
	python3 .ci/tests.py -race -timeout 40m ./...

# Command lines judged and run, and some of them run confined, which takes longer. The
# seeds are printed.
LINES ?= 10000
CONFINED ?= 1000
lines:
	CONDUCT_SHELL_LINES=$(LINES) go test -count=1 -timeout 3h -run TestCommandLinesAgainstTheShell -v ./guard
	CONDUCT_SHELL_LINES=$(CONFINED) go test -count=1 -timeout 3h -run TestCommandLinesConfined -v ./guard

cases: build
	CONDUCT=$(CURDIR)/bin/conduct CONDUCT_GUARD=$(CURDIR)/bin/conduct-guard \
		python3 testdata/cases/run_cases.py
	CONDUCT=$(CURDIR)/bin/conduct CONDUCT_GUARD=$(CURDIR)/bin/conduct-guard \
		python3 testdata/cases/run_cases.py --dir testdata/more-cases

# The real agent programs, which npm installs into a cache: 2 GB of the user's, or CONDUCT_E2E_CACHE.
e2e:
	CONDUCT_TEST_NO_SKIP=1 go test -tags e2e -count=1 -timeout 1h ./e2e

# As many at a time as there are cores, each on one.
fuzz:
	$(MAKE) -j$(shell nproc 2>/dev/null || echo 2) $(FUZZ)

$(FUZZ):
	.ci/fuzz $(firstword $(subst @, ,$@)) $(lastword $(subst @, ,$@)) $(FUZZTIME)

# Where a file belongs to one platform only, its tests are compiled too. That differs by
# system, hardly by processor, and takes minutes each.
cross: $(PLATFORMS)
	GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go vet ./...
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 go vet ./...

$(PLATFORMS):
	GOOS=$(@D) GOARCH=$(@F) CGO_ENABLED=0 go build -o /dev/null ./cmd/conduct
	GOOS=$(@D) GOARCH=$(@F) CGO_ENABLED=0 go build -o /dev/null ./cmd/conduct-guard
	GOOS=$(@D) GOARCH=$(@F) CGO_ENABLED=0 go build -o /dev/null ./cmd/conduct-mcp

bench:
	go run ./bench/run -out docs/performance.md

soak:
	go test -count=20 -run Kill ./store/file
	CONDUCT_SOAK=60s go test -count=1 -timeout 30m -run 'TestSoak$$|TestLinearizable$$' ./ledger/file ./mailbox/file
	go test -run TestNothingOfASiblingIsReached ./guard -rapid.checks=100000 -timeout 2h
	$(MAKE) lines LINES=100000 CONFINED=100000
	$(MAKE) fuzz FUZZTIME=10m

cover:
	go test -coverprofile bin/cover.out -coverpkg ./... ./...
	go tool cover -func bin/cover.out | tail -1

clean:
	rm -rf bin
