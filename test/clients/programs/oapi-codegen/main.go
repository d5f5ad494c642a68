// Calls every operation with the client that oapi-codegen generates.
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

func main() {
	ctx := context.Background()
	baseURL := os.Getenv("BASE_URL")
	anyone, err := gateway.NewClientWithResponses(baseURL)
	if err != nil {
		log.Fatal(err)
	}
	issued, err := anyone.IssueTokenWithResponse(ctx, gateway.TokenRequest{
		ClientId:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		GrantType:    gateway.ClientCredentials,
	})
	token := expect(issued.JSON200, issued.Body)
	client, err := gateway.NewClientWithResponses(baseURL, gateway.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+token.AccessToken)
			return nil
		}))
	if err != nil {
		log.Fatal(err)
	}

	inAnHour := time.Now().Add(time.Hour)
	sms := gateway.SmsMessage{To: to, Message: "Hello", ScheduledAt: &inAnHour}
	sentSms, err := client.SendSmsWithResponse(ctx, nil, sms)
	must(err)
	sent := expect(sentSms.JSON202, sentSms.Body)
	looked, err := client.GetMessageStatusWithResponse(ctx, sent.MessageId)
	must(err)
	if found := expect(looked.JSON200, looked.Body); found.Status == nil || *found.Status != gateway.MessageStatusScheduled {
		log.Fatalf("not scheduled: %s", looked.Body)
	}
	canceled, err := client.CancelMessageWithResponse(ctx, sent.MessageId)
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
	batch := expect(sentBulk.JSON202, sentBulk.Body)
	if batch.Accepted != 1 || batch.Errors[0].Index != 1 {
		log.Fatalf("another batch: %s", sentBulk.Body)
	}
	counted, err := client.GetMessageStatusWithResponse(ctx, batch.BatchId)
	must(err)
	if counts := expect(counted.JSON200, counted.Body); counts.Total == nil || *counts.Total != 2 {
		log.Fatalf("another batch: %s", counted.Body)
	}

	kind := gateway.WhatsappTypeTemplate
	parameters := gateway.TemplateParameters{Header: "Hello", Body: []string{"Ada", "today"}}
	sentWhatsApp, err := client.SendWhatsappWithResponse(ctx, nil, gateway.WhatsappMessage{
		To: to, Type: &kind,
		Template: &gateway.WhatsappTemplate{Name: "parcel", Language: "en_GB", Parameters: &parameters},
	})
	must(err)
	expect(sentWhatsApp.JSON202, sentWhatsApp.Body)

	sentOtp, err := client.SendOtpWithResponse(ctx, nil, gateway.OtpMessage{To: to})
	must(err)
	otp := expect(sentOtp.JSON202, sentOtp.Body)
	verified, err := client.VerifyOtpWithResponse(ctx, gateway.OtpVerification{OtpId: &otp.OtpId, Code: "0000"})
	must(err)
	if result := expect(verified.JSON200, verified.Body); result.Verified || *result.AttemptsRemaining < 1 {
		log.Fatalf("another result: %s", verified.Body)
	}

	sortOf, limit := gateway.Sms, 2
	listed, err := client.ListMessagesWithResponse(ctx, &gateway.ListMessagesParams{Channel: &sortOf, Limit: &limit})
	must(err)
	expect(listed.JSON200, listed.Body)
	url := "https://example.com/webhooks"
	updated, err := client.UpdateAccountWithResponse(ctx, gateway.AccountUpdate{WebhookUrl: &url})
	must(err)
	expect(updated.JSON200, updated.Body)
	shown, err := client.GetAccountWithResponse(ctx)
	must(err)
	expect(shown.JSON200, shown.Body)
	interval := gateway.GetUsageParamsIntervalDay
	used, err := client.GetUsageWithResponse(ctx, &gateway.GetUsageParams{Interval: &interval})
	must(err)
	expect(used.JSON200, used.Body)
	rotated, err := client.RotateWebhookSecretWithResponse(ctx)
	must(err)
	expect(rotated.JSON200, rotated.Body)

	refused, err := client.SendSmsWithResponse(ctx, nil, gateway.SmsMessage{To: "1", Message: "x"})
	must(err)
	if details := expect(refused.JSON400, refused.Body).Details; (*details)[0].Field != "to" {
		log.Fatalf("another error: %s", refused.Body)
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
