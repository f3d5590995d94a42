package main

import (
	"context"
	goerrors "errors"
	"fmt"
	"os/exec"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// volumeError says that a volume could not be made.
type volumeError struct {
	volume string
	err    error
}

func (e *volumeError) Error() string { return fmt.Sprintf("volume %s: %v", e.volume, e.err) }
func (e *volumeError) Unwrap() error { return e.err }

// patientCommand is command, which waits for objects that are not there until they are, or the
// pod is deleted. As a kubelet does, it tells of them by the container's state, or by an event where
// a volume is made of them.
func (n *node) patientCommand(ctx context.Context, pod *core.Pod, p *process) (command *exec.Cmd, err error) {
	told := ""
	_ = wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		command, err = n.command(ctx, pod)
		if !errors.IsNotFound(err) || p.isTerminated() {
			return true, nil
		}
		if told != err.Error() {
			told = err.Error()
			n.tellLacking(ctx, pod, err)
		}
		return false, nil
	})
	return command, err
}

// tellLacking tells why a pod is not started yet.
func (n *node) tellLacking(ctx context.Context, pod *core.Pod, err error) {
	waiting := core.ContainerStateWaiting{Reason: "CreateContainerConfigError", Message: err.Error()}
	if volume, is := goerrors.AsType[*volumeError](err); is {
		waiting = core.ContainerStateWaiting{Reason: "ContainerCreating"}
		n.warn(ctx, pod, "FailedMount", fmt.Sprintf("MountVolume.SetUp failed for volume %q : %v", volume.volume, volume.err))
	}
	n.report(ctx, pod, core.PodPending, core.ContainerState{Waiting: &waiting}, 0)
}

// warn makes an event of a pod.
func (n *node) warn(ctx context.Context, pod *core.Pod, reason, message string) {
	n.insist(ctx, func() error {
		_, err := n.client.CoreV1().Events(pod.Namespace).Create(ctx, &core.Event{
			ObjectMeta:     meta.ObjectMeta{GenerateName: pod.Name + ".", Namespace: pod.Namespace},
			InvolvedObject: core.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
			Type:           core.EventTypeWarning, Reason: reason, Message: message, Count: 1,
			FirstTimestamp: meta.Now(), LastTimestamp: meta.Now(), Source: core.EventSource{Component: "kubelet", Host: nodeName},
		}, meta.CreateOptions{})
		return err
	})
}
