// Calls every operation with the client that openapi-generator makes for Go.
package main

import (
	"context"
	"errors"
	"log"
	"os"
	"time"

	gateway "github.com/example/client"
)

const to = "+447700900123"

func expect[T any](value *T, _ any, err error) *T {
	if err != nil {
		var answered *gateway.GenericOpenAPIError
		if errors.As(err, &answered) {
			log.Fatalf("%v: %s", err, answered.Body())
		}
		log.Fatal(err)
	}
	return value
}

func main() {
	configuration := gateway.NewConfiguration()
	configuration.Servers = gateway.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	client := gateway.NewAPIClient(configuration)
	ctx := context.Background()
	credentials := gateway.NewTokenRequest(os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET"), "client_credentials")
	token := expect(client.AuthenticationAPI.IssueToken(ctx).TokenRequest(*credentials).Execute())
	ctx = context.WithValue(ctx, gateway.ContextAccessToken, token.AccessToken)

	sms := gateway.NewSmsMessage(to, "Hello")
	sms.SetScheduledAt(time.Now().Add(time.Hour))
	sent := expect(client.SendingAPI.SendSms(ctx).SmsMessage(*sms).Execute())
	found := expect(client.MessagesAPI.GetMessageStatus(ctx, sent.MessageId).Execute())
	if found.GetStatus() != gateway.SCHEDULED {
		log.Fatalf("not scheduled: %+v", found)
	}
	canceled := expect(client.MessagesAPI.CancelMessage(ctx, sent.MessageId).Execute())
	if canceled.Status != gateway.CANCELED {
		log.Fatalf("not canceled: %+v", canceled)
	}

	ada := gateway.NewBulkRow(to)
	ada.SetVariables(map[string]interface{}{"name": "Ada", "count": 2})
	short := "+33"
	bulk := gateway.NewBulkSms([]gateway.BulkRecipient{
		gateway.BulkRowAsBulkRecipient(ada), gateway.StringAsBulkRecipient(&short),
	})
	bulk.SetMessage("Hello {{name}}")
	batch := expect(client.SendingAPI.SendBulkSms(ctx).BulkSms(*bulk).Execute())
	if batch.Accepted != 1 || batch.Errors[0].Index != 1 {
		log.Fatalf("another batch: %+v", batch)
	}
	counts := expect(client.MessagesAPI.GetMessageStatus(ctx, batch.BatchId).Execute())
	if counts.GetTotal() != 2 {
		log.Fatalf("another batch: %+v", counts)
	}

	parameters := gateway.TemplateParameters{Header: "Hello", Body: []string{"Ada", "today"}}
	template := gateway.NewWhatsappTemplate("parcel", "en_GB")
	template.SetParameters(parameters)
	whatsApp := gateway.NewWhatsappMessage(to)
	whatsApp.SetType(gateway.TEMPLATE)
	whatsApp.SetTemplate(*template)
	expect(client.SendingAPI.SendWhatsapp(ctx).WhatsappMessage(*whatsApp).Execute())

	otp := expect(client.OneTimePasswordsAPI.SendOtp(ctx).OtpMessage(*gateway.NewOtpMessage(to)).Execute())
	attempt := gateway.NewOtpVerification("0000")
	attempt.SetOtpId(otp.OtpId)
	result := expect(client.OneTimePasswordsAPI.VerifyOtp(ctx).OtpVerification(*attempt).Execute())
	if result.Verified {
		log.Fatalf("another result: %+v", result)
	}
	expect(client.MessagesAPI.ListMessages(ctx).Channel(gateway.SMS).Limit(2).Execute())
	update := gateway.NewAccountUpdate()
	update.SetWebhookUrl("https://example.com/webhooks")
	expect(client.AccountAPI.UpdateAccount(ctx).AccountUpdate(*update).Execute())
	expect(client.AccountAPI.GetAccount(ctx).Execute())
	expect(client.AccountAPI.GetUsage(ctx).Interval("day").Execute())
	expect(client.AccountAPI.RotateWebhookSecret(ctx).Execute())

	_, _, err := client.SendingAPI.SendSms(ctx).SmsMessage(*gateway.NewSmsMessage("1", "x")).Execute()
	var refused *gateway.GenericOpenAPIError
	if !errors.As(err, &refused) {
		log.Fatalf("not refused: %v", err)
	}
	if body, ok := refused.Model().(gateway.ErrorResponse); !ok || body.Details[0].Field != "to" {
		log.Fatalf("another error: %s", refused.Body())
	}
}
