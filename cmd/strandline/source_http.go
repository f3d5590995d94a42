package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sync/errgroup"

	"strandline/ingest"
	"strandline/ingest/post"
	"strandline/internal/config"
)

// http serves posts to the streams that take them, and what tells how the process is.
func (s *streaming) http(ctx context.Context, group *errgroup.Group) error {
	serve := s.lake.config.Serve
	if serve == nil {
		return nil
	}
	options, err := s.postOptions(ctx, serve)
	if err != nil {
		return err
	}
	server, err := post.New(options)
	if err != nil {
		return s.misdeclared("serve", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", serve.Listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("listen at %s (serve.listen in %s): another process does already, perhaps another strandline run: end that, or declare another port: %w", serve.Listen, s.lake.config.Path, syscall.EADDRINUSE)
	}
	if err != nil {
		return fmt.Errorf("listen at %s (serve.listen in %s): %w", serve.Listen, s.lake.config.Path, err)
	}
	s.app.note("serving %s%s", address(serve, listener), takers(options))
	group.Go(func() error {
		if err := server.Serve(ctx, listener); err != nil {
			return fmt.Errorf("serve at %s: %w", listener.Addr(), err)
		}
		return nil
	})
	return nil
}

// misdeclared is what is wrong with a part of the configuration, and can't be seen in
// its file alone.
func (s *streaming) misdeclared(part string, err error) error {
	return &config.Problem{File: s.lake.config.Path, Err: err, Text: fmt.Sprintf("%s: %v", part, err)}
}

func address(serve *config.Serve, listener net.Listener) string {
	if serve.TLS != nil {
		return "https://" + listener.Addr().String()
	}
	return "http://" + listener.Addr().String()
}

// takers names the streams that take posts.
func takers(o post.Options) string {
	if len(o.Streams) == 0 {
		return ""
	}
	var names []string
	for name := range o.Streams {
		names = append(names, name)
	}
	slices.Sort(names)
	return ", posts to " + strings.Join(names, ", ")
}

func (s *streaming) postOptions(ctx context.Context, serve *config.Serve) (post.Options, error) {
	o := post.Options{
		Streams: map[string]post.Stream{},
		Limits: post.Limits{
			Body: serve.MaxBody, Decompressed: serve.MaxPlain, Line: int(serve.MaxLine), Memory: serve.Memory,
			Connections: serve.Connections, Read: serve.ReadTimeout, Delay: serve.Delay,
		},
		Metrics: s.metrics,
		Landed:  func(stream string, o ingest.Outcome) { s.counted(sourceHTTP, stream, o) },
		Note:    func(text string) { s.app.note("serve: %s", text) },
		Trouble: func(stream string, err error) { s.trouble("posts to stream "+stream, err) },
		Over:    func(stream string) { s.over("posts to stream "+stream, "they land again") },
	}
	if serve.TLS != nil {
		var err error
		o.TLS, err = post.LoadCertificate(serve.TLS.Cert, serve.TLS.Key, func(err error) { s.trouble("serve", err) })
		if err != nil {
			return o, s.misdeclared("serve.tls", err)
		}
	}
	for _, stream := range s.lake.config.Streams {
		if stream.HTTP == nil {
			continue
		}
		if err := s.lake.checkLost(ctx, stream.Name); err != nil {
			return o, fmt.Errorf("take posts to stream %s: %w", stream.Name, err)
		}
		tokens, err := s.app.tokens(stream.HTTP, func(err error) { s.trouble("serve", err) })
		if err != nil {
			return o, s.misdeclared(fmt.Sprintf("streams.%s.http.tokens", stream.Name), err)
		}
		o.Streams[stream.Name] = post.Stream{
			Landing: s.lake.streams[stream.Name], Read: s.lake.readOptions(stream),
			Tokens: tokens, Rate: float64(stream.HTTP.Rate), KeepKeys: stream.HTTP.KeepKeys,
		}
	}
	return o, nil
}

// tokens reads who may post; nil: anybody. trouble is told what is wrong with a file of
// them later.
func (a *app) tokens(h *config.HTTP, trouble func(error)) (*post.Tokens, error) {
	if h.Tokens == nil {
		return nil, nil
	}
	tokens := &post.Tokens{}
	for _, from := range h.Tokens {
		if from.File != "" {
			if err := tokens.AddFile(from.File, trouble); err != nil {
				return nil, err
			}
			continue
		}
		text, _ := a.env(from.Env)
		if err := tokens.Add(text); err != nil {
			return nil, fmt.Errorf("read the tokens in the environment variable %s: %w", from.Env, err)
		}
	}
	return tokens, nil
}
