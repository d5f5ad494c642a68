// Receives webhooks on PORT. WEBHOOK_SECRET is one secret, or during a rotation the old and the new one, separated by
// a space. Go 1.21 or later, nothing else.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

var (
	secrets = strings.Fields(os.Getenv("WEBHOOK_SECRET"))
	seen    sync.Map // In production a table with a unique key: it must outlive a restart.
)

func sign(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// verifySimple checks X-Webhook-Signature: HMAC-SHA256 of the raw body, keyed with the whole text of the secret.
func verifySimple(secret string, body []byte, headers http.Header) bool {
	expected := hex.EncodeToString(sign([]byte(secret), body))
	return hmac.Equal([]byte(expected), []byte(headers.Get("X-Webhook-Signature")))
}

// verifyStandard checks webhook-signature: Standard Webhooks. It covers the id and the time too, so an old
// request can't be replayed.
func verifyStandard(secret string, body []byte, headers http.Header) bool {
	id, timestamp := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	digest := sign(key, []byte(id+"."+timestamp+"."), body)
	expected := "v1," + base64.StdEncoding.EncodeToString(digest)
	for _, signature := range strings.Split(headers.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(expected), []byte(signature)) {
			return true
		}
	}
	return false
}

// verify says whether either signature holds with any of the secrets: so it stays while a secret is rotated.
func verify(body []byte, headers http.Header) bool {
	for _, secret := range secrets {
		if verifyStandard(secret, body, headers) || verifySimple(secret, body, headers) {
			return true
		}
	}
	return false
}

func receive(response http.ResponseWriter, request *http.Request) {
	// The bytes as they came: parsed and written again they would differ.
	body, err := io.ReadAll(io.LimitReader(request.Body, 1<<20))
	if err != nil || !verify(body, request.Header) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	id := request.Header.Get("webhook-id")
	if _, known := seen.LoadOrStore(id, true); !known {
		var notification struct {
			Event string
			Data  struct {
				MessageID string `json:"message_id"`
				Status    string
			}
		}
		if json.Unmarshal(body, &notification) == nil {
			// Store it; work on it after the answer.
			fmt.Println(id, notification.Event, notification.Data.MessageID, notification.Data.Status)
		}
	}
	response.WriteHeader(http.StatusOK)
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	http.HandleFunc("/", receive)
	if err := http.ListenAndServe("127.0.0.1:"+port, nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
