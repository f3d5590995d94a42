package objstore_test

import (
	"testing"

	"strandline/internal/miniotest"
	"strandline/internal/objstore"
	"strandline/internal/objstore/storetest"
)

func TestMemoryKeepsTheContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) objstore.Store { return objstore.NewMemory() })
}

func TestFolderKeepsTheContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) objstore.Store { return openFolder(t, t.TempDir()+"/not/yet/there") })
}

func TestFaultWithoutFaultsKeepsTheContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) objstore.Store { return objstore.NewFault(objstore.NewMemory(), nil) })
}

func TestMinIOKeepsTheContract(t *testing.T) {
	server := miniotest.Start(t)
	storetest.Run(t, func(t *testing.T) objstore.Store { return openS3(t, server, "") })
}

func TestMinIOUnderAPrefixKeepsTheContract(t *testing.T) {
	if testing.Short() {
		t.Skip("the bucket without a prefix is enough for a short run")
	}
	server := miniotest.Start(t)
	storetest.Run(t, func(t *testing.T) objstore.Store { return openS3(t, server, "lakes/one") })
}

func openFolder(t *testing.T, root string) *objstore.Folder {
	t.Helper()
	folder, err := objstore.OpenFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func openS3(t *testing.T, server miniotest.Server, prefix string) *objstore.S3 {
	t.Helper()
	store, err := objstore.OpenS3(t.Context(), objstore.S3Options{
		Bucket: server.Bucket(t), Prefix: prefix, Endpoint: server.Endpoint, PathStyle: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}
