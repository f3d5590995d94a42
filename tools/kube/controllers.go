package main

import (
	"context"
	"time"

	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/ttlafterfinished"
)

// workers is how many objects of a kind a controller handles at a time.
const workers = 5

// startControllers starts those of kube-controller-manager that Jobs need.
// They end with ctx.
func startControllers(ctx context.Context, config *rest.Config) error {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = 500, 1000
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	shared := informers.NewSharedInformerFactory(client, 0)
	jobs, err := job.NewController(ctx, client, shared.Core().V1().Pods(), shared.Batch().V1().Jobs(), nil, nil)
	if err != nil {
		return err
	}
	finished := ttlafterfinished.New(ctx, shared.Batch().V1().Jobs(), client)
	if err := startCollector(ctx, config, client, shared); err != nil {
		return err
	}
	shared.Start(ctx.Done())
	shared.WaitForCacheSync(ctx.Done())
	go jobs.Run(ctx, workers)
	go finished.Run(ctx, workers)
	return nil
}

// startCollector starts the controller that deletes the pods of a deleted Job.
func startCollector(ctx context.Context, config *rest.Config, client *kubernetes.Clientset, shared informers.SharedInformerFactory) error {
	meta, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	started := make(chan struct{})
	close(started)
	all := informerfactory.NewInformerFactory(shared, metadatainformer.NewSharedInformerFactory(meta, 0))
	collector, err := garbagecollector.NewGarbageCollector(ctx, client, meta, mapper,
		garbagecollector.DefaultIgnoredResources(), all, started)
	if err != nil {
		return err
	}
	go collector.Run(ctx, workers, 30*time.Second)
	go collector.Sync(ctx, client.Discovery(), 30*time.Second)
	return nil
}
