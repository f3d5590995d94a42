// The kube command is a Kubernetes cluster for tests, in one program: the real
// API server over an etcd of its own, the real controllers of Jobs, of
// finished Jobs and of what nobody owns any more, and a toy of a node that
// runs pods as processes.
//
//	kube server -dir DIR                 etcd, the API server and the controllers
//	kube etcd -dir DIR                   etcd alone, for a server of the folder with -apart, which may be killed without it
//	kube node -dir DIR -entrypoint FILE  runs all pods, with FILE as the program of every image
//	kube apply -dir DIR FILE             creates objects, or replaces them; - is standard input
//	kube token -dir DIR NAMESPACE NAME   prints a token of a service account
//
// Server, etcd and node say "ready" on standard output once they are. The server writes what
// its users need into DIR (see files.go), and it and etcd may be killed and started again. All
// end with their standard input, and so with who started them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "kube: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("want kube server, etcd, node, apply or token")
	}
	flags := flag.NewFlagSet("kube "+args[0], flag.ExitOnError)
	dir := flags.String("dir", "", "the `FOLDER` of the cluster")
	entrypoint := flags.String("entrypoint", "", "the `FILE` that is the program of every image")
	apart := flags.Bool("apart", false, "the server has its etcd in a process of its own")
	check := flags.Bool("check", false, "only ask what the server would say to the objects, as new ones")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if *dir == "" {
		return errors.New("want -dir FOLDER")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if args[0] == "server" || args[0] == "node" || args[0] == "etcd" {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			stop()
		}()
	}
	switch f := files(*dir); {
	case args[0] == "server":
		return serve(ctx, f, *apart)
	case args[0] == "etcd":
		return runEtcd(ctx, f)
	case args[0] == "node":
		return runNode(ctx, f, *entrypoint)
	case args[0] == "apply" && flags.NArg() == 1:
		return apply(ctx, f, flags.Arg(0), *check)
	case args[0] == "token" && flags.NArg() == 2:
		return token(ctx, f, flags.Arg(0), flags.Arg(1))
	}
	return fmt.Errorf("kube %s: want server, etcd, node, apply FILE or token NAMESPACE NAME", strings.Join(args, " "))
}
