package main

import "path/filepath"

// files is the folder of a cluster, and where what is in it.
type files string

func (f files) path(name string) string { return filepath.Join(string(f), name) }

func (f files) port() string       { return f.path("port") }             // of the API server, the same after a restart
func (f files) etcdPort() string   { return f.path("etcd.port") }        // of an etcd that runs apart
func (f files) etcd() string       { return f.path("etcd") }             // all objects
func (f files) ca() string         { return f.path("ca.crt") }           // signs the server's certificate and those of clients
func (f files) serverCert() string { return f.path("server.crt") }       // of 127.0.0.1
func (f files) serverKey() string  { return f.path("server.key") }       // also signs the tokens of service accounts
func (f files) adminCert() string  { return f.path("admin.crt") }        // of group system:masters, which may do all
func (f files) adminKey() string   { return f.path("admin.key") }        //
func (f files) kubeconfig() string { return f.path("admin.kubeconfig") } // of the admin
func (f files) pods() string       { return f.path("pods") }             // a folder for each pod, with its log
func (f files) events() string     { return f.path("events") }           // a line for each start and end of a process, in their order
