/** What a user does with the packed client. The functions of the package come as arguments: a test imports or requires it. */
export async function scenario(client, testing, baseUrl) {
  const { MessagingGateway, InvalidRequestError, RateLimitError, responseOf, verifyWebhook } = client;
  const isTrue = (holds, what) => {
    if (!holds) throw new Error(`not true: ${what}`);
  };
  const gateway = new MessagingGateway({ baseUrl, clientId: 'client_1', clientSecret: 'secret' });
  const sent = await gateway.sms.send({ to: '+447700900123', message: 'Hello' });
  isTrue(sent.status === 'queued' && responseOf(sent).requestId === 'req_1', 'it sends');
  const messages = await gateway.messages.list({ limit: 2 }).toArray();
  isTrue(messages.length === 3, 'it iterates over two pages');
  const refused = await gateway.sms.send({ to: '1', message: '' }).catch((error) => error);
  isTrue(refused instanceof InvalidRequestError && refused.details[0].field === 'to', 'it tells of a 400');
  const limited = await gateway.sms.send({ to: '+429', message: 'Hello' }).catch((error) => error);
  isTrue(limited instanceof RateLimitError && limited.retry_after === 3600, 'it tells of a 429');
  const tester = new MessagingGateway({ baseUrl, apiKey: 'sk-test-1' });
  const [given] = await tester.test.listOutbox({ to: '+447700900123' }).toArray();
  isTrue(given.body === 'Hello', 'it reads with a test key what was sent');
  const fake = testing.fakeGateway();
  const { message_id } = await fake.gateway.sms.send({ to: '+447700900123', message: 'Hello' });
  const { body, headers } = fake.setStatus(message_id, 'delivered');
  isTrue(verifyWebhook(body, headers, fake.webhookSecret).event === 'sms.delivered', 'it verifies');
  const other = await fake.gateway.account.get().catch((error) => error);
  isTrue(other instanceof client.NotFoundError, 'both parts of the package have one class for an error');
  return 'OK';
}
