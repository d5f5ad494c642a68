import { expect, it } from '@jest/globals';
import { redirectTo } from '../../../shared/http/response.ts';

it.each([
  [
    'https://abc.execute-api.eu-west-1.amazonaws.com/prod',
    'https://abc.execute-api.eu-west-1.amazonaws.com/prod/docs',
  ],
  ['https://api.example.com', 'https://api.example.com/docs'],
  ['http://localhost:3000', '/docs'],
])('from %s leads to %s', (baseUrl, location) => {
  const { status, headers } = redirectTo(baseUrl, '/docs');
  expect([status, headers?.Location]).toEqual([302, location]);
});
