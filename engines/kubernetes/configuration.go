package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"strandline/engines"
	"strandline/internal/kubeapi"
)

// configMap is what is read of a ConfigMap.
type configMap struct {
	Data   map[string]string `json:"data"`
	Binary map[string][]byte `json:"binaryData"`
}

// Configuration implements engines.Configured: it is what the ConfigMap has.
func (e *Engine) Configuration(ctx context.Context) (engines.Configuration, error) {
	c := engines.Configuration{
		In:   fmt.Sprintf("ConfigMap %s in namespace %s", e.config.ConfigMap, e.namespace),
		File: configFile, Files: map[string][]byte{}, Env: e.config.Env,
	}
	var has configMap
	err := e.api.Do(ctx, e.object("configmaps", "ConfigMap", e.config.ConfigMap), &has)
	switch {
	case errors.Is(err, kubeapi.ErrForbidden):
		return c, fmt.Errorf("%s: %w by this account", c.In, engines.ErrUnseen)
	case err != nil:
		return c, fmt.Errorf("read %s: %w", c.In, advised(err))
	}
	maps.Copy(c.Files, has.Binary)
	for name, text := range has.Data {
		c.Files[name] = []byte(text)
	}
	return c, nil
}
