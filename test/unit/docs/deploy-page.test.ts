/** What docs/deploy.md must say because no deploy and no emulator shows it. */
import { describe, expect, it } from '@jest/globals';
import { page } from '../../support/docs/pages.ts';

/** The text under a heading, without line breaks. */
function section(heading: string): string {
  const [, text = ''] = page('docs/deploy.md').split(`\n## ${heading}\n`);
  return (text.split('\n## ')[0] ?? '').replaceAll(/\s+/g, ' ');
}

describe('docs/deploy.md', () => {
  it('has the tables compared with the template after an import, which repairs none of them', () => {
    expect(section('Destroy, and deploy again')).toMatch(
      /--import-existing-resources .*may lack point-in-time recovery .*Detect drift/,
    );
  });

  it('says what is known of the response to a body above the 10 MB of API Gateway', () => {
    expect(section('Check a deployment')).toMatch(
      /REQUEST_TOO_LARGE.*reported.*HTTP content length exceeded 10485760 bytes/,
    );
  });

  it('says whose header names a caller behind a proxy, and why X-Forwarded-For is none', () => {
    expect(section('Behind a proxy')).toMatch(
      /must \*\*replace\*\* the header\. `X-Forwarded-For` is refused/,
    );
  });

  it('says what a second region shares', () => {
    expect(page('docs/regions.md')).toMatch(/No name of one stack collides with another region's/);
  });
});
