/** The API's own documentation. */
import type { Answer, Description } from '../description.ts';

const page: Answer = {
  status: 200,
  description: 'A self-contained page without scripts.',
  content: { mediaType: 'text/html' },
};

export const getOpenApiDocument: Description = {
  tag: 'Documentation',
  summary: 'This document',
  description: 'The OpenAPI 3.1 description of the API, generated from the schemas that the operations use.',
  answer: {
    status: 200,
    description: 'The document.',
    content: { mediaType: 'application/json' },
  },
};

export const getDocs: Description = {
  tag: 'Documentation',
  summary: 'The API reference as a page',
  description: 'This document for people.',
  answer: page,
};

export const getWebhookGuide: Description = {
  tag: 'Documentation',
  summary: 'The guide for webhooks as a page',
  description: 'How to receive, verify, acknowledge and de-duplicate webhooks, with code.',
  answer: page,
};
