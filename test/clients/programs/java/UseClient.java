// Uses the client that openapi-generator makes for Java as its users do.
import java.net.URI;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AccountApi;
import org.openapitools.client.api.AuthenticationApi;
import org.openapitools.client.api.MessagesApi;
import org.openapitools.client.api.OneTimePasswordsApi;
import org.openapitools.client.api.SendingApi;
import org.openapitools.client.model.*;

public final class UseClient {
  private static final String TO = "+447700900123";

  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE_URL"));
    TokenRequest credentials =
        new TokenRequest()
            .clientId(System.getenv("CLIENT_ID"))
            .clientSecret(System.getenv("CLIENT_SECRET"))
            .grantType(TokenRequest.GrantTypeEnum.CLIENT_CREDENTIALS);
    String token = new AuthenticationApi(client).issueToken(credentials).getAccessToken();
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    SendingApi sending = new SendingApi(client);
    MessagesApi messages = new MessagesApi(client);

    OffsetDateTime inAnHour = OffsetDateTime.now().plusHours(1);
    AcceptedSms sent =
        sending.sendSms(new SmsMessage().to(TO).message("Hello").scheduledAt(inAnHour), "java-1");
    MessageOrBatch found = messages.getMessageStatus(sent.getMessageId());
    expect(sent.getMessageId(), found.getMessageId());
    expect(MessageStatus.SCHEDULED, found.getStatus());
    expect(MessageStatus.CANCELED, messages.cancelMessage(sent.getMessageId()).getStatus());

    BulkRow ada = new BulkRow().to(TO).variables(Map.of("name", "Ada", "count", 2));
    BulkSms bulk =
        new BulkSms()
            .message("Hello {{name}}")
            .recipients(List.of(new BulkRecipient(ada), new BulkRecipient("+33")));
    AcceptedBatch batch = sending.sendBulkSms(bulk, null);
    expect(1, batch.getAccepted());
    expect(1, batch.getErrors().get(0).getIndex());
    MessageOrBatch counts = messages.getMessageStatus(batch.getBatchId());
    expect(batch.getBatchId(), counts.getBatchId());
    expect(2, counts.getTotal());

    TemplateParameters parameters =
        new TemplateParameters().header("Hello").body(List.of("Ada", "today"));
    WhatsappTemplate template =
        new WhatsappTemplate().name("parcel").language("en_GB").parameters(parameters);
    WhatsappMessage whatsApp =
        new WhatsappMessage().to(TO).type(WhatsappType.TEMPLATE).template(template);
    expect(Channel.WHATSAPP, sending.sendWhatsapp(whatsApp, null).getChannel());

    OneTimePasswordsApi passwords = new OneTimePasswordsApi(client);
    SentOtp otp = passwords.sendOtp(new OtpMessage().to(TO), null);
    OtpVerification attempt = new OtpVerification().otpId(otp.getOtpId()).code("0000");
    expect(false, passwords.verifyOtp(attempt).getVerified());

    URI url = URI.create("https://example.com/webhooks");
    AccountApi accounts = new AccountApi(client);
    Account account = accounts.updateAccount(new AccountUpdate().webhookUrl(url));
    expect(url.toString(), account.getWebhookUrl());

    try {
      sending.sendSms(new SmsMessage().to("1").message("x"), null);
      throw new AssertionError("not refused");
    } catch (ApiException refused) {
      expect(400, refused.getCode());
      ErrorResponse error =
          ApiClient.createDefaultObjectMapper()
              .readValue(refused.getResponseBody(), ErrorResponse.class);
      expect("to", error.getDetails().get(0).getField());
    }
  }

  private static void expect(Object expected, Object actual) {
    if (!Objects.equals(expected, actual))
      throw new AssertionError(actual + " instead of " + expected);
  }
}
