package main

import (
	"fmt"
	"net/url"

	"go.etcd.io/etcd/server/v3/embed"
)

// startEtcd runs an etcd of one member on a free loopback port and returns its endpoint.
func startEtcd(dir string) (*embed.Etcd, string, error) {
	config := embed.NewConfig()
	config.Dir, config.LogLevel = dir, "error"
	config.UnsafeNoFsync = true // a killed process loses nothing by that, only a machine that stops would
	free := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config.ListenPeerUrls, config.AdvertisePeerUrls = free, free
	config.ListenClientUrls, config.AdvertiseClientUrls = free, free
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
