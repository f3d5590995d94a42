package main

import (
	"os"

	"strandline/ingest/post"
	"strandline/internal/config"
)

// lacking notes what the streams would be refused for by run on this machine, though the
// configuration is right: it may be meant for another one, which has the data and secrets.
func (a *app) lacking(cfg *config.Config) {
	const refused = "note: strandline run would be refused on this machine: streams.%s.%s: %v"
	for _, s := range cfg.Streams {
		if s.Dir != nil {
			if info, err := os.Stat(s.Dir.Path); err != nil {
				a.note(refused, s.Name, "dir.path", err)
			} else if !info.IsDir() {
				a.note(refused, s.Name, "dir.path", s.Dir.Path+" is no folder")
			}
		}
		if s.HTTP != nil {
			if _, err := a.tokens(s.HTTP, func(error) {}); err != nil {
				a.note(refused, s.Name, "http.tokens", err)
			}
		}
	}
	if cfg.Serve == nil || cfg.Serve.TLS == nil {
		return
	}
	if _, err := post.LoadCertificate(cfg.Serve.TLS.Cert, cfg.Serve.TLS.Key, func(error) {}); err != nil {
		a.note("note: strandline run would be refused on this machine: serve.tls: %v", err)
	}
}
