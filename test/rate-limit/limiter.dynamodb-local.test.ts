import { describe } from '@jest/globals';
import { limiterConformance } from './limiter-conformance.ts';

/** Needs Java 17, so only where it is asked for. */
const asked = process.env.DYNAMODB_LOCAL === '1';

(asked ? describe : describe.skip)("the limiter on Amazon's DynamoDB Local", () =>
  limiterConformance('dynamodb-local'),
);
