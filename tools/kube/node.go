package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// nodeName is the name of the one node there is.
const nodeName = "toy"

// node runs all pods as processes of this machine. It is scheduler and kubelet
// at once, for pods with one container that is not started again.
type node struct {
	files      files
	client     kubernetes.Interface
	entrypoint string

	mu   sync.Mutex
	pods map[types.UID]*process // those that were started here

	events *log.Logger
}

func runNode(ctx context.Context, f files, entrypoint string) error {
	if entrypoint == "" {
		return fmt.Errorf("want -entrypoint FILE")
	}
	config, err := clientcmd.BuildConfigFromFlags("", f.kubeconfig())
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 500, 1000
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	events, err := os.OpenFile(f.events(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer events.Close()
	n := &node{files: f, client: client, entrypoint: entrypoint, pods: map[types.UID]*process{}, events: log.New(events, "", 0)}
	shared := informers.NewSharedInformerFactory(client, 0)
	pods := shared.Core().V1().Pods().Informer()
	see := func(pod any) { n.see(ctx, pod.(*core.Pod)) }
	_, err = pods.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: see, UpdateFunc: func(_, pod any) { see(pod) }})
	if err != nil {
		return err
	}
	shared.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), pods.HasSynced)
	fmt.Println("ready")
	<-ctx.Done()
	return nil
}

// see brings a pod's process to where the pod is.
func (n *node) see(ctx context.Context, pod *core.Pod) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p, started := n.pods[pod.UID]
	switch {
	case pod.DeletionTimestamp != nil:
		if !started || p.terminate(time.Duration(*pod.DeletionGracePeriodSeconds)*time.Second) {
			go n.forget(ctx, pod)
		}
	case !started && pod.Status.Phase == core.PodPending:
		p = newProcess()
		n.pods[pod.UID] = p
		go n.live(ctx, pod.DeepCopy(), p)
	}
}

// live runs a pod from its start to its end.
func (n *node) live(ctx context.Context, pod *core.Pod, p *process) {
	n.bind(ctx, pod)
	command, err := n.patientCommand(ctx, pod, p)
	if err == nil {
		err = p.start(command)
	}
	if err != nil {
		n.report(ctx, pod, core.PodFailed, core.ContainerState{Terminated: &core.ContainerStateTerminated{
			ExitCode: 128, Reason: "StartError", Message: err.Error(), FinishedAt: meta.Now(),
		}}, 0)
	} else {
		n.events.Printf("start %s/%s %d", pod.Namespace, pod.Name, p.pid())
		n.report(ctx, pod, core.PodRunning, core.ContainerState{Running: &core.ContainerStateRunning{StartedAt: meta.Now()}}, p.pid())
		end := p.wait()
		n.events.Printf("end %s/%s %d", pod.Namespace, pod.Name, end.ExitCode)
		n.report(ctx, pod, phase(end), core.ContainerState{Terminated: &end}, p.pid())
	}
	if p.leave() {
		n.forget(ctx, pod)
	}
}

// bind places a pod here. One that is placed already, by a try whose answer was
// lost, is a conflict.
func (n *node) bind(ctx context.Context, pod *core.Pod) {
	n.insist(ctx, func() error {
		err := n.client.CoreV1().Pods(pod.Namespace).Bind(ctx, &core.Binding{
			ObjectMeta: meta.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID}, Target: core.ObjectReference{Kind: "Node", Name: nodeName},
		}, meta.CreateOptions{})
		if errors.IsConflict(err) {
			return nil
		}
		return err
	})
}

func phase(end core.ContainerStateTerminated) core.PodPhase {
	if end.ExitCode == 0 {
		return core.PodSucceeded
	}
	return core.PodFailed
}

// report sets a pod's status. A container's id tells its process's.
func (n *node) report(ctx context.Context, pod *core.Pod, phase core.PodPhase, state core.ContainerState, pid int) {
	n.insist(ctx, func() error {
		now, err := n.client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, meta.GetOptions{})
		if err != nil || now.UID != pod.UID {
			return err
		}
		if now.Status.StartTime == nil {
			now.Status.StartTime = new(meta.Now())
		}
		now.Status.Phase = phase
		now.Status.ContainerStatuses = []core.ContainerStatus{{
			Name: pod.Spec.Containers[0].Name, Image: pod.Spec.Containers[0].Image, ImageID: "toy",
			Ready: state.Running != nil, State: state, ContainerID: fmt.Sprintf("process://%d", pid),
		}}
		_, err = n.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, now, meta.UpdateOptions{})
		return err
	})
}

// forget ends a deletion: the pod goes.
func (n *node) forget(ctx context.Context, pod *core.Pod) {
	n.insist(ctx, func() error {
		return n.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, meta.DeleteOptions{
			GracePeriodSeconds: new(int64(0)), Preconditions: &meta.Preconditions{UID: &pod.UID},
		})
	})
}

// insist tries until it is done or the pod is gone: the API server may be away.
func (n *node) insist(ctx context.Context, act func() error) {
	_ = wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(context.Context) (bool, error) {
		err := act()
		return err == nil || errors.IsNotFound(err), nil
	})
}
