import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.net.URI;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AccountApi;
import org.openapitools.client.api.AuthenticationApi;
import org.openapitools.client.api.MessagesApi;
import org.openapitools.client.api.OneTimePasswordsApi;
import org.openapitools.client.api.SendingApi;
import org.openapitools.client.model.*;

/** Calls every operation with the classes that openapi-generator makes for Java. */
public class OpenApiGenerator {
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
    OneTimePasswordsApi passwords = new OneTimePasswordsApi(client);
    AccountApi accounts = new AccountApi(client);

    SmsMessage sms =
        new SmsMessage().to(TO).message("Hello").scheduledAt(OffsetDateTime.now().plusHours(1));
    AcceptedSms sent = sending.sendSms(sms, "java-" + System.nanoTime());
    Message found = messages.getMessageStatus(sent.getMessageId()).getMessage();
    expect(found.getStatus() == MessageStatus.SCHEDULED, found);
    Message canceled = messages.cancelMessage(sent.getMessageId());
    expect(canceled.getStatus() == MessageStatus.CANCELED, canceled);

    BulkRow ada = new BulkRow().to(TO).variables(Map.of("name", "Ada", "count", 2));
    List<BulkRecipient> recipients = List.of(new BulkRecipient(ada), new BulkRecipient("+33"));
    AcceptedBatch batch =
        sending.sendBulkSms(new BulkSms().message("Hello {{name}}").recipients(recipients), null);
    expect(batch.getAccepted() == 1 && batch.getErrors().get(0).getIndex() == 1, batch);
    Batch counts = messages.getMessageStatus(batch.getBatchId()).getBatch();
    expect(counts.getTotal() == 2, counts);

    TemplateParameters parameters =
        new TemplateParameters().header("Hello").body(List.of("Ada", "today"));
    WhatsAppTemplate template =
        new WhatsAppTemplate().name("parcel").language("en_GB").parameters(parameters);
    sending.sendWhatsApp(
        new WhatsAppMessage().to(TO).type(WhatsAppType.TEMPLATE).template(template), null);
    SentOtp otp = passwords.sendOtp(new OtpMessage().to(TO), null);
    OtpVerificationResult result =
        passwords.verifyOtp(new OtpVerification().otpId(otp.getOtpId()).code("0000"));
    expect(!result.getVerified() && result.getAttemptsRemaining() < 5, result);
    MessageList page = messages.listMessages(null, null, Channel.SMS, null, null, 2, null);
    expect(!page.getMessages().isEmpty(), page);
    URI url = URI.create("https://example.com/webhooks");
    Account account = accounts.updateAccount(new AccountUpdate().webhookUrl(url));
    expect(account.getWebhookUrl().equals(url.toString()), account);
    expect(accounts.getAccount().getClientId().equals(System.getenv("CLIENT_ID")), account);
    expect(accounts.getUsage(null, null, "day", null).getUsage() != null, "usage");
    expect(accounts.rotateWebhookSecret().getWebhookSecret().startsWith("whsec_"), "secret");

    try {
      sending.sendSms(new SmsMessage().to("1").message("x"), null);
    } catch (ApiException refused) {
      ErrorResponse error = client.getObjectMapper().readValue(refused.getResponseBody(), ErrorResponse.class);
      expect(refused.getCode() == 400 && error.getDetails().get(0).getField().equals("to"), error);
      return;
    }
    throw new AssertionError("not refused");
  }

  private static void expect(boolean holds, Object shown) {
    if (!holds) throw new AssertionError(shown);
  }
}
