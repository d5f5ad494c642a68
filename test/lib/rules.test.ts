import { afterAll, describe, expect, it } from '@jest/globals';
import { deployments, forgetTemplates, synthesized } from '../support/stage-templates.ts';

afterAll(forgetTemplates);

describe.each(Object.keys(deployments))('the rules of cdk-nag, %s', (name) => {
  it('find nothing that is not acknowledged with a reason', () => {
    expect(synthesized(name).findings).toEqual([]);
  });
});
