/** What a bundle takes for `@aws-sdk/endpoint-cache`: DynamoDB's endpoint discovery is off, so nothing is ever kept. */
export class EndpointCache {
  get(): undefined {
    return undefined;
  }

  has(): boolean {
    return false;
  }

  set(): void {
    throw new Error('endpoint discovery is no part of this bundle: see lib/build/bundle.ts');
  }

  delete(): void {}

  clear(): void {}
}
