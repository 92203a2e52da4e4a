// @types/jsdom brings another DOM along, in which test/local/report does not compile.
declare module 'jsdom' {
  export class JSDOM {
    constructor(html: string);
    readonly window: { readonly document: object };
  }
}
