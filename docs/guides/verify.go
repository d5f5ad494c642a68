// Receives webhooks on PORT. WEBHOOK_SECRET is one secret, or during a rotation the old and the new one, separated by
// a space. Go 1.21 or later, nothing else.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
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
	seen    sync.Map // In production, use a table with a unique key, which outlives a restart.
)

// verifyWith checks webhook-signature: Standard Webhooks. It covers the id and the time too, so an old request can't be
// replayed.
func verifyWith(secret string, body []byte, headers http.Header) bool {
	id, timestamp := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Split(headers.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(expected), []byte(signature)) {
			return true
		}
	}
	return false
}

// verify reports whether the signature is valid with any of the secrets, so that webhooks are accepted during a rotation.
func verify(body []byte, headers http.Header) bool {
	for _, secret := range secrets {
		if verifyWith(secret, body, headers) {
			return true
		}
	}
	return false
}

func receive(response http.ResponseWriter, request *http.Request) {
	// Verify the bytes as received: JSON that is parsed and written again can differ.
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
	if err != nil || !verify(body, request.Header) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	id := request.Header.Get("webhook-id")
	if _, known := seen.Load(id); !known {
		var notification struct {
			Event string
			Data  struct {
				MessageID string `json:"message_id"`
				Status    string
			}
		}
		if json.Unmarshal(body, &notification) != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		// Store it here, and process it after the response. Events differ in their fields: those of opt-outs have no status.
		parts := []string{id, notification.Event, notification.Data.MessageID, notification.Data.Status}
		fmt.Println(strings.TrimSpace(strings.Join(parts, " ")))
		// Last, so that an event whose storing fails is not lost: its webhook comes again.
		seen.Store(id, true)
	}
	response.WriteHeader(http.StatusOK)
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	http.HandleFunc("/", receive)
	// A caller may send less than it announced.
	server := http.Server{Addr: "127.0.0.1:" + port, ReadTimeout: 10 * time.Second}
	if err := server.ListenAndServe(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
