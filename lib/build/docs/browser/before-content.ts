/** Runs before the content is shown, so that the samples of other languages never appear. */
import { applyLanguage, rememberedLanguage } from './language-choice.ts';

applyLanguage(rememberedLanguage());
