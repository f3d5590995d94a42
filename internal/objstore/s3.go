package objstore

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
)

// S3Options says where a bucket is. Credentials come from where all AWS
// programs look for them: environment, shared files, roles.
type S3Options struct {
	Bucket    string
	Prefix    string // put before every key, without slashes at its ends; may be empty
	Endpoint  string // http(s)://host[:port]; empty: AWS, or AWS_ENDPOINT_URL
	Region    string // empty: as configured for AWS, and "us-east-1" at an endpoint
	PathStyle bool   // endpoint/bucket/key rather than bucket.endpoint/key

	stall time.Duration // of a connection; 0: stallAfter
}

// Validate says what is wrong with the options and how to write it.
func (o S3Options) Validate() error {
	if o.Bucket == "" || strings.Contains(o.Bucket, "/") {
		return fmt.Errorf("bucket %q: want a name, as in s3://bucket/prefix", o.Bucket)
	}
	if o.Prefix != "" {
		if err := CheckKey(o.Prefix); err != nil {
			return fmt.Errorf("prefix in bucket %s: %w", o.Bucket, err)
		}
	}
	if o.Endpoint == "" {
		return nil
	}
	if u, err := url.Parse(o.Endpoint); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("endpoint %q: want http://host:port or https://host", o.Endpoint)
	}
	return nil
}

// S3 is a store in a bucket of S3, or of a server that speaks its protocol and
// honours If-None-Match on PUT. Prove tells whether it does.
type S3 struct {
	s3Bucket
	prefix string // empty or ends with a slash
}

// s3Bucket is the way to a bucket.
type s3Bucket struct {
	client *s3.Client
	bucket string
	where  string // for errors: bucket and endpoint
}

var _ Store = (*S3)(nil)

// maxConnections is how many idle connections to the server are kept. The
// default of 10 would make a pool of workers dial anew all the time.
const maxConnections = 128

// OpenS3 finds the credentials for a bucket. It does not call the bucket.
func OpenS3(ctx context.Context, o S3Options) (*S3, error) {
	bucket, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	store := &S3{s3Bucket: bucket, prefix: o.Prefix}
	if o.Prefix != "" {
		store.prefix += "/"
	}
	return store, nil
}

func (o S3Options) open(ctx context.Context) (b s3Bucket, err error) {
	if err := o.Validate(); err != nil {
		return b, err
	}
	// A plain *http.Client would make the SDK fail where AWS_CA_BUNDLE is set.
	client := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.MaxIdleConns, t.MaxIdleConnsPerHost = maxConnections, maxConnections
		withStall(t, cmp.Or(o.stall, stallAfter))
	})
	cfg, err := config.LoadDefaultConfig(ctx, config.WithHTTPClient(client),
		config.WithLogger(logging.Nop{})) // what it would log, it also answers with
	if err != nil {
		return b, fmt.Errorf("open bucket %s: %w", o.Bucket, err)
	}
	if err := o.locate(&cfg); err != nil {
		return b, err
	}
	b = s3Bucket{bucket: o.Bucket, where: fmt.Sprintf("bucket %q at %s", o.Bucket, endpointName(cfg))}
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		return b, fmt.Errorf("open %s: no credentials found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE: %w", b.where, err)
	}
	b.client = s3.NewFromConfig(cfg, func(so *s3.Options) {
		so.UsePathStyle = o.PathStyle
		so.DisableLogOutputChecksumValidationSkipped = true
	})
	return b, nil
}

// locate sets endpoint and region, of which the options come first.
func (o S3Options) locate(cfg *aws.Config) error {
	if o.Endpoint != "" {
		cfg.BaseEndpoint = aws.String(o.Endpoint)
	}
	if o.Region != "" {
		cfg.Region = o.Region
	}
	if cfg.Region == "" && cfg.BaseEndpoint != nil {
		cfg.Region = "us-east-1" // servers of one region do not care
	}
	if cfg.Region == "" {
		return fmt.Errorf("open bucket %s: no region; set s3.region or AWS_REGION", o.Bucket)
	}
	return nil
}

func endpointName(cfg aws.Config) string {
	if cfg.BaseEndpoint != nil {
		return *cfg.BaseEndpoint
	}
	return "AWS region " + cfg.Region
}

// Endpoint is where the bucket is, as options or environment have it, without a slash at its
// end; "" for a bucket of AWS.
func (s *S3) Endpoint() string {
	return strings.TrimRight(aws.ToString(s.client.Options().BaseEndpoint), "/")
}

// URL implements Store.
func (s *S3) URL(key string) string { return s.url(s.prefixed(key)) }

// Create implements Store by a conditional PUT. A first, clean "precondition
// failed" is a loss. "Conflict" says that another PUT of the key is under way
// and this one was not done: it is asked again until one of the two is decided.
// The SDK must not retry, since after a lost answer its own success would come
// back as a loss; all other errors but a refusal leave the outcome to be found by reading.
func (s *S3) Create(ctx context.Context, key string, body []byte) error {
	if err := begin(ctx, key); err != nil {
		return fmt.Errorf("create object: %w", err)
	}
	const tries = 24 // about 15 s, longer than any small PUT takes
	for try := range tries {
		err := s.putIfAbsent(ctx, key, body)
		switch status := statusOf(err); {
		case err == nil:
			return nil
		case status == http.StatusPreconditionFailed:
			return fmt.Errorf("create %s: %w", s.URL(key), ErrExists)
		case status != http.StatusConflict || try == tries-1:
			return refused(s.explain("create", key, err))
		}
		if err := pause(ctx, try); err != nil {
			return fmt.Errorf("create %s, while another writer had it: %w", s.URL(key), err)
		}
	}
	return nil
}

func (s *S3) putIfAbsent(ctx context.Context, key string, body []byte) error {
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket:        &s.bucket,
		Key:           s.key(key),
		Body:          strings.NewReader(string(body)),
		ContentLength: aws.Int64(int64(len(body))),
		IfNoneMatch:   aws.String("*"),
	}, func(o *s3.Options) { o.Retryer = aws.NopRetryer{} })
	return err
}

// pause waits before try+1, longer each time up to a second, by a random part
// so that racing writers do not meet again.
func pause(ctx context.Context, try int) error {
	most := min(10*time.Millisecond<<min(try, 10), time.Second)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(most/2 + rand.N(most/2)):
		return nil
	}
}

// maxPut is the most that S3 takes in one PUT, in bytes.
const maxPut = 5 << 30

// Upload implements Store.
func (s *S3) Upload(ctx context.Context, key, path string) error {
	if err := begin(ctx, key); err != nil {
		return fmt.Errorf("upload %s: %w", path, err)
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("upload %s: %w", s.URL(key), err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("upload %s: %w", s.URL(key), err)
	}
	if info.Size() > maxPut {
		return fmt.Errorf("upload %s to %s: %d bytes are more than the %d of one object; make smaller files (a smaller partition or segment)", path, s.URL(key), info.Size(), int64(maxPut))
	}
	_, err = s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &s.bucket, Key: s.key(key), Body: file, ContentLength: aws.Int64(info.Size()),
	})
	if err != nil {
		return s.explain("upload", key, err)
	}
	return nil
}

// Delete implements Store.
func (s *S3) Delete(ctx context.Context, key string) error {
	if err := begin(ctx, key); err != nil {
		return fmt.Errorf("delete object: %w", err)
	}
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: s.key(key)})
	if err != nil && codeOf(err) != "NoSuchKey" {
		return s.explain("delete", key, err)
	}
	return nil
}

// prefixed is key as the bucket knows it.
func (s *S3) prefixed(key string) string { return s.prefix + key }

func (s *S3) key(key string) *string { return aws.String(s.prefixed(key)) }

// httpRange is the header for length bytes from offset.
func httpRange(offset, length int64) string {
	last := int64(math.MaxInt64)
	if length <= last-offset {
		last = offset + length - 1
	}
	return fmt.Sprintf("bytes=%d-%d", offset, last)
}
