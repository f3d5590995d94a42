package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	authentication "k8s.io/api/authentication/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
)

// apply creates or replaces the objects of a file, as the admin; "-" is standard input. With check it only
// asks what the server would say to them as new ones, of which it must know every field, once.
func apply(ctx context.Context, f files, file string, check bool) error {
	data, err := os.ReadFile(file)
	if file == "-" {
		data, err = io.ReadAll(os.Stdin)
	}
	if err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", f.kubeconfig())
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	for in := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096); ; {
		var o unstructured.Unstructured
		if err := in.Decode(&o.Object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		kind := o.GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			return err
		}
		of := objects.Resource(mapping.Resource).Namespace(o.GetNamespace())
		if check {
			_, err = of.Create(ctx, &o, meta.CreateOptions{DryRun: []string{meta.DryRunAll}, FieldValidation: meta.FieldValidationStrict})
		} else {
			_, err = of.Apply(ctx, o.GetName(), &o, meta.ApplyOptions{FieldManager: "kube", Force: true})
		}
		if err != nil {
			return fmt.Errorf("apply %s %s: %w", kind.Kind, o.GetName(), err)
		}
	}
}

// token prints a token of a service account that holds for an hour.
func token(ctx context.Context, f files, namespace, account string) error {
	config, err := clientcmd.BuildConfigFromFlags("", f.kubeconfig())
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	hour := int64(3600)
	issued, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, account, &authentication.TokenRequest{
		Spec: authentication.TokenRequestSpec{ExpirationSeconds: &hour},
	}, meta.CreateOptions{})
	if err == nil {
		fmt.Println(issued.Status.Token)
	}
	return err
}
