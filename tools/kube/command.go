package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/fieldpath"
)

// command is the process of a pod's container, with its log and its folder.
func (n *node) command(ctx context.Context, pod *core.Pod) (*exec.Cmd, error) {
	dir := filepath.Join(n.files.pods(), pod.Namespace+"_"+pod.Name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	mounts, err := n.mounts(ctx, pod, dir)
	if err != nil {
		return nil, err
	}
	env, err := n.env(ctx, pod)
	if err != nil {
		return nil, err
	}
	container := pod.Spec.Containers[0]
	line := mounts.all(append(container.Command, container.Args...))
	if len(container.Command) == 0 {
		line = append([]string{n.entrypoint}, line...)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.Env = append(env, "PATH="+os.Getenv("PATH"), "HOSTNAME="+pod.Name)
	for _, v := range container.Env {
		if v.Value != "" {
			cmd.Env = append(cmd.Env, v.Name+"="+mounts.path(v.Value))
		}
	}
	return cmd, nil
}

// mounts are where volumes are, by the paths that they are mounted at: a toy has no
// file system of its own to give, so it replaces the one by the other.
type mounts map[string]string

// path is where a path of the container is: the deepest mount decides.
func (m mounts) path(path string) string {
	for at := path; at != "/" && at != "."; at = filepath.Dir(at) {
		if to, is := m[at]; is {
			return to + path[len(at):]
		}
	}
	return path
}

func (m mounts) all(paths []string) (out []string) {
	for _, path := range paths {
		out = append(out, m.path(path))
	}
	return out
}

// mounts makes the volumes of a pod's container.
func (n *node) mounts(ctx context.Context, pod *core.Pod, dir string) (mounts, error) {
	m := mounts{}
	for _, mount := range pod.Spec.Containers[0].VolumeMounts {
		for _, volume := range pod.Spec.Volumes {
			if volume.Name != mount.Name {
				continue
			}
			path, err := n.volume(ctx, pod.Namespace, volume, filepath.Join(dir, "volumes", volume.Name))
			if err != nil {
				return nil, &volumeError{volume.Name, err}
			}
			m[mount.MountPath] = path
		}
	}
	return m, nil
}

func (n *node) volume(ctx context.Context, namespace string, volume core.Volume, path string) (string, error) {
	if volume.HostPath != nil {
		return volume.HostPath.Path, nil
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", err
	}
	if volume.ConfigMap == nil {
		return path, nil
	}
	content, err := n.client.CoreV1().ConfigMaps(namespace).Get(ctx, volume.ConfigMap.Name, meta.GetOptions{})
	if err != nil {
		return "", err
	}
	for name, text := range content.Data {
		if err := os.WriteFile(filepath.Join(path, name), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	return path, nil
}

// env is the environment of the container.
func (n *node) env(ctx context.Context, pod *core.Pod) (env []string, err error) {
	for _, from := range pod.Spec.Containers[0].EnvFrom {
		all, err := n.envFrom(ctx, pod.Namespace, from)
		if err != nil {
			return nil, err
		}
		env = append(env, all...)
	}
	for _, v := range pod.Spec.Containers[0].Env {
		value, err := n.envValue(ctx, pod, v)
		if err != nil {
			return nil, fmt.Errorf("environment variable %s: %w", v.Name, err)
		}
		env = append(env, v.Name+"="+value)
	}
	return env, nil
}

func (n *node) envFrom(ctx context.Context, namespace string, from core.EnvFromSource) (env []string, err error) {
	if from.SecretRef == nil {
		return nil, fmt.Errorf("this node knows no environment but from a secret")
	}
	secret, err := n.client.CoreV1().Secrets(namespace).Get(ctx, from.SecretRef.Name, meta.GetOptions{})
	if err != nil {
		return nil, err
	}
	for name, value := range secret.Data {
		env = append(env, from.Prefix+name+"="+string(value))
	}
	return env, nil
}

func (n *node) envValue(ctx context.Context, pod *core.Pod, v core.EnvVar) (string, error) {
	switch from := v.ValueFrom; {
	case from == nil:
		return v.Value, nil
	case from.FieldRef != nil:
		return fieldpath.ExtractFieldPathAsString(pod, from.FieldRef.FieldPath)
	case from.SecretKeyRef != nil:
		secret, err := n.client.CoreV1().Secrets(pod.Namespace).Get(ctx, from.SecretKeyRef.Name, meta.GetOptions{})
		if err != nil {
			return "", err
		}
		return string(secret.Data[from.SecretKeyRef.Key]), nil
	}
	return "", fmt.Errorf("this node knows no values but from a field or a secret")
}
