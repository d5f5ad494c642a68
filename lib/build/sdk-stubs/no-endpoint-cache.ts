/** Replaces `@aws-sdk/endpoint-cache` in bundles: DynamoDB's endpoint discovery is off. */
export class EndpointCache {
  get(): undefined {
    return undefined;
  }

  has(): boolean {
    return false;
  }

  set(): void {
    throw new Error('endpoint discovery is not in this bundle: see lib/build/bundle.ts');
  }

  delete(): void {}

  clear(): void {}
}
