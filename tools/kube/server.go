package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
)

// serve runs etcd, unless that runs apart, the API server and the controllers until ctx ends.
func serve(ctx context.Context, f files, apart bool) error {
	port, err := choosePort(f.port())
	if err != nil {
		return err
	}
	if err := makeCerts(f); err != nil {
		return fmt.Errorf("make certificates: %w", err)
	}
	if err := writeKubeconfig(f, port); err != nil {
		return err
	}
	endpoint, stop, err := findEtcd(f, apart)
	if err != nil {
		return err
	}
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- runAPI(ctx, f, port, endpoint) }()
	config, err := clientcmd.BuildConfigFromFlags("", f.kubeconfig())
	if err != nil {
		return err
	}
	go func() {
		if err := awaitReady(ctx, config); err != nil {
			ended <- err
			return
		}
		if err := startControllers(ctx, config); err != nil {
			ended <- err
			return
		}
		fmt.Println("ready")
	}()
	return <-ended
}

// findEtcd returns the endpoint of the etcd that runs apart, or of one that is started here, and what stops that.
func findEtcd(f files, apart bool) (endpoint string, stop func(), err error) {
	if apart {
		port, err := os.ReadFile(f.etcdPort())
		return "http://127.0.0.1:" + strings.TrimSpace(string(port)), func() {}, err
	}
	etcd, endpoint, err := startEtcd(f.etcd(), "0")
	if err != nil {
		return "", nil, err
	}
	return endpoint, etcd.Close, nil
}

// runAPI is the kube-apiserver command, run here.
func runAPI(ctx context.Context, f files, port, etcd string) error {
	cmd := apiserver.NewAPIServerCommand()
	cmd.SetArgs([]string{
		"--etcd-servers=" + etcd,
		"--bind-address=127.0.0.1", "--secure-port=" + port, "--advertise-address=127.0.0.1",
		"--tls-cert-file=" + f.serverCert(), "--tls-private-key-file=" + f.serverKey(), "--client-ca-file=" + f.ca(),
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + f.serverKey(), "--service-account-signing-key-file=" + f.serverKey(),
		"--service-cluster-ip-range=10.0.0.0/24",
		// Nobody serves the address of the service "kubernetes", and nobody makes
		// the default service account of a namespace that pods would be refused without.
		"--endpoint-reconciler-type=none", "--disable-admission-plugins=ServiceAccount",
		"--profiling=false",
	})
	err := cmd.ExecuteContext(ctx)
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("the API server ended: %w", err)
}

func awaitReady(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return err == nil, nil
	})
}

// choosePort returns the port of an earlier start, or a free one.
func choosePort(file string) (string, error) {
	data, err := os.ReadFile(file)
	if err == nil {
		return strings.TrimSpace(string(data)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port, errors.Join(listener.Close(), os.WriteFile(file, []byte(port+"\n"), 0o600))
}

// writeKubeconfig writes how the admin reaches the server, with all in one file.
func writeKubeconfig(f files, port string) error {
	ca, err1 := os.ReadFile(f.ca())
	cert, err2 := os.ReadFile(f.adminCert())
	key, err3 := os.ReadFile(f.adminKey())
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	config := api.NewConfig()
	config.Clusters["kube"] = &api.Cluster{Server: "https://127.0.0.1:" + port, CertificateAuthorityData: ca}
	config.AuthInfos["admin"] = &api.AuthInfo{ClientCertificateData: cert, ClientKeyData: key}
	config.Contexts["kube"] = &api.Context{Cluster: "kube", AuthInfo: "admin"}
	config.CurrentContext = "kube"
	return clientcmd.WriteToFile(*config, f.kubeconfig())
}
