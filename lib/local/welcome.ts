/** The text that `npm start` prints when the gateway is ready: addresses, demo credentials, and commands to try. */
import type { Connection } from './connection.ts';

/**
 * Returns the URL of the quick start, with the demo client's test key and webhook secret. They are after `#`, because
 * browsers do not send this part of a URL. The gateway itself must not fill them in: a request through a proxy looks like a
 * local one, so the credentials could reach other people.
 */
export function quickStartOf(connection: Connection): string {
  const { base_url, test_api_key, webhook_secret } = connection;
  return `${base_url}/docs/quick-start#${new URLSearchParams({ test_api_key, webhook_secret })}`;
}

export function welcome(connection: Connection): string {
  const { base_url, client_id, client_secret, api_key, test_api_key, webhook_secret, admin } = connection;
  const take = (field: string): string => `sed -n 's/.*"${field}":"\\([^"]*\\)".*/\\1/p'`;
  return `
The messaging gateway is ready at ${base_url}

  client id        ${client_id}
  client secret    ${client_secret}
  API key          ${api_key}
  test API key     ${test_api_key}
  webhook secret   ${webhook_secret}

  documentation    ${base_url}/docs
  dashboard        ${base_url}/admin
  admin client     ${admin.client_id}
  admin secret     ${admin.client_secret}

Try it:

TOKEN=${test_api_key}

MESSAGE=$(curl -s ${base_url}/api/v1/sms/send -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"to":"+447700900123","message":"Hello"}' | tee /dev/stderr | ${take('message_id')})

curl -s ${base_url}/api/v1/sms/status/$MESSAGE -H "Authorization: Bearer $TOKEN"

Next: receive a webhook. This quick start contains the test key, so do not share its address:

${quickStartOf(connection)}

Ctrl-C stops the gateway.
`;
}
