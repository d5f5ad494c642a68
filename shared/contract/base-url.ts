/** Stands for the gateway's own address in the API document, which is made before that is known; describe-api replaces it. */
export const baseUrlMarker = 'https://base-url.invalid';
