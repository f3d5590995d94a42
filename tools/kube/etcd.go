package main

import (
	"context"
	"fmt"
	"net/url"

	"go.etcd.io/etcd/server/v3/embed"
)

// runEtcd runs an etcd alone until ctx ends, on the port that it had at an earlier start.
func runEtcd(ctx context.Context, f files) error {
	port, err := choosePort(f.etcdPort())
	if err != nil {
		return err
	}
	etcd, _, err := startEtcd(f.etcd(), port)
	if err != nil {
		return err
	}
	defer etcd.Close()
	fmt.Println("ready")
	select {
	case <-ctx.Done():
		return nil
	case err := <-etcd.Err():
		return fmt.Errorf("etcd ended: %w", err)
	}
}

// startEtcd runs an etcd of one member on a loopback port, 0 for a free one, and returns its endpoint.
func startEtcd(dir, port string) (*embed.Etcd, string, error) {
	config := embed.NewConfig()
	config.Dir, config.LogLevel = dir, "error"
	config.UnsafeNoFsync = true // a killed process loses nothing by that, only a machine that stops would
	free, clients := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}, []url.URL{{Scheme: "http", Host: "127.0.0.1:" + port}}
	config.ListenPeerUrls, config.AdvertisePeerUrls = free, free
	config.ListenClientUrls, config.AdvertiseClientUrls = clients, clients
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, "", fmt.Errorf("start etcd in %s: %w", dir, err)
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, "http://" + etcd.Clients[0].Addr().String(), nil
	case err := <-etcd.Err():
		return nil, "", fmt.Errorf("start etcd in %s: %w", dir, err)
	}
}
