// Sends, looks up, lists and is refused, with the client that oapi-codegen generates.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"time"

	"example.com/clients/gateway"
)

const to = "+447700900123"

func expect[T any](parsed *T, body []byte) T {
	if parsed == nil {
		log.Fatalf("another answer: %s", body)
	}
	return *parsed
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	ctx := context.Background()
	baseURL := os.Getenv("BASE_URL")
	anyone, err := gateway.NewClientWithResponses(baseURL)
	must(err)
	issued, err := anyone.IssueTokenWithResponse(ctx, gateway.TokenRequest{
		ClientId:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		GrantType:    gateway.ClientCredentials,
	})
	must(err)
	token := expect(issued.JSON200, issued.Body)
	client, err := gateway.NewClientWithResponses(baseURL, gateway.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+token.AccessToken)
			return nil
		}))
	must(err)

	inAnHour := time.Now().Add(time.Hour)
	sms := gateway.SmsMessage{To: to, Message: "Hello", ScheduledAt: &inAnHour}
	sentSms, err := client.SendSmsWithResponse(ctx, nil, sms)
	must(err)
	sent := expect(sentSms.JSON202, sentSms.Body)
	canceled, err := client.CancelMessageWithResponse(ctx, sent.MessageId, nil)
	must(err)
	if expect(canceled.JSON200, canceled.Body).Status != gateway.MessageStatusCanceled {
		log.Fatalf("not canceled: %s", canceled.Body)
	}

	var ada, bare gateway.BulkRecipient
	must(ada.FromBulkRow(gateway.BulkRow{To: to, Variables: &gateway.TemplateVariables{"name": "Ada"}}))
	must(bare.FromPhoneNumber("+33"))
	greeting := "Hello {{name}}"
	sentBulk, err := client.SendBulkSmsWithResponse(ctx, nil, gateway.BulkSms{
		Message: &greeting, Recipients: []gateway.BulkRecipient{ada, bare},
	})
	must(err)
	if batch := expect(sentBulk.JSON202, sentBulk.Body); batch.Accepted != 1 || batch.Errors[0].Index != 1 {
		log.Fatalf("another batch: %s", sentBulk.Body)
	}

	channel, limit := gateway.ChannelSms, 2
	listed, err := client.ListMessagesWithResponse(ctx, &gateway.ListMessagesParams{Channel: &channel, Limit: &limit})
	must(err)
	if len(expect(listed.JSON200, listed.Body).Messages) != 2 {
		log.Fatalf("not two messages: %s", listed.Body)
	}

	refused, err := client.SendSmsWithResponse(ctx, nil, gateway.SmsMessage{To: "1", Message: "x"})
	must(err)
	if details := expect(refused.JSON400, refused.Body).Details; (*details)[0].Field != "to" {
		log.Fatalf("another error: %s", refused.Body)
	}
}
