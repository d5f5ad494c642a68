/** The version that the gateway tells of itself; a test holds it to that of package.json. */
export const version = '0.1.0';
