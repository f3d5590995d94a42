package miniotest

import (
	"bytes"
	"context"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Bucket makes a fresh, empty bucket and returns its name. At a server that
// outlives the tests it is removed, with all that is in it, when the test ends.
func (s Server) Bucket(t testing.TB) string {
	t.Helper()
	client, err := s.client(t.Context())
	if err != nil {
		t.Fatalf("make a bucket: %v", err)
	}
	bucket := "test-" + strings.ToLower(rand.Text())
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &bucket}); err != nil {
		t.Fatalf("make bucket %s at %s: %v", bucket, s.Endpoint, err)
	}
	if s.outlivesTests {
		removeAfter(t, client, bucket)
	}
	return bucket
}

// Put makes key of a bucket hold body, whatever it held before.
func (s Server) Put(t testing.TB, bucket, key string, body []byte) {
	t.Helper()
	client, err := s.client(t.Context())
	if err == nil {
		_, err = client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(body)})
	}
	if err != nil {
		t.Fatalf("put %s into bucket %s: %v", key, bucket, err)
	}
}

// Begin begins an upload of key in parts, and leaves it so.
func (s Server) Begin(t testing.TB, bucket, key string, part []byte) {
	t.Helper()
	client, err := s.client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	upload, err := client.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: &bucket, Key: &key})
	if err == nil {
		_, err = client.UploadPart(t.Context(), &s3.UploadPartInput{
			Bucket: &bucket, Key: &key, UploadId: upload.UploadId, PartNumber: aws.Int32(1), Body: bytes.NewReader(part),
		})
	}
	if err != nil {
		t.Fatalf("begin to upload %s into bucket %s: %v", key, bucket, err)
	}
}

// Delete removes key from a bucket.
func (s Server) Delete(t testing.TB, bucket, key string) {
	t.Helper()
	client, err := s.client(t.Context())
	if err == nil {
		_, err = client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &bucket, Key: &key})
	}
	if err != nil {
		t.Fatalf("delete %s from bucket %s: %v", key, bucket, err)
	}
}

func removeAfter(t testing.TB, client *s3.Client, bucket string) {
	t.Cleanup(func() {
		// The test's own context has ended by now.
		if err := remove(context.Background(), client, bucket); err != nil {
			t.Errorf("remove bucket %s: %v", bucket, err)
		}
	})
}

func (s Server) client(ctx context.Context) (*s3.Client, error) {
	cfg, err := config.LoadDefaultConfig(ctx, config.WithHTTPClient(awshttp.NewBuildableClient()))
	if err != nil {
		return nil, err
	}
	return s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.BaseEndpoint, o.UsePathStyle = aws.String(s.Endpoint), true
		if o.Region == "" {
			o.Region = Region
		}
	}), nil
}

func remove(ctx context.Context, client *s3.Client, bucket string) error {
	pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: &bucket})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, object := range page.Contents {
			if _, err := client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: object.Key}); err != nil {
				return err
			}
		}
	}
	_, err := client.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &bucket})
	return err
}
