/*! The viewer of regard, Apache-2.0. It contains Lit (BSD-3-Clause, Google LLC) and d3-color, d3-hierarchy, d3-interpolate, d3-scale and d3-scale-chromatic (ISC, Mike Bostock; colour schemes: Apache-2.0, Cynthia Brewer). */
var wt=globalThis,$t=wt.ShadowRoot&&(wt.ShadyCSS===void 0||wt.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,pn=Symbol(),xr=new WeakMap,Ye=class{constructor(t,n,r){if(this._$cssResult$=!0,r!==pn)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=t,this.t=n}get styleSheet(){let t=this.o,n=this.t;if($t&&t===void 0){let r=n!==void 0&&n.length===1;r&&(t=xr.get(n)),t===void 0&&((this.o=t=new CSSStyleSheet).replaceSync(this.cssText),r&&xr.set(n,t))}return t}toString(){return this.cssText}},yr=e=>new Ye(typeof e=="string"?e:e+"",void 0,pn),S=(e,...t)=>{let n=e.length===1?e[0]:t.reduce((r,o,i)=>r+(s=>{if(s._$cssResult$===!0)return s.cssText;if(typeof s=="number")return s;throw Error("Value passed to 'css' function must be a 'css' function result: "+s+". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.")})(o)+e[i+1],e[0]);return new Ye(n,e,pn)},wr=(e,t)=>{if($t)e.adoptedStyleSheets=t.map(n=>n instanceof CSSStyleSheet?n:n.styleSheet);else for(let n of t){let r=document.createElement("style"),o=wt.litNonce;o!==void 0&&r.setAttribute("nonce",o),r.textContent=n.cssText,e.appendChild(r)}},hn=$t?e=>e:e=>e instanceof CSSStyleSheet?(t=>{let n="";for(let r of t.cssRules)n+=r.cssText;return yr(n)})(e):e;var{is:Us,defineProperty:Bs,getOwnPropertyDescriptor:Fs,getOwnPropertyNames:qs,getOwnPropertySymbols:Ds,getPrototypeOf:js}=Object,vt=globalThis,$r=vt.trustedTypes,Gs=$r?$r.emptyScript:"",Ws=vt.reactiveElementPolyfillSupport,Xe=(e,t)=>e,gn={toAttribute(e,t){switch(t){case Boolean:e=e?Gs:null;break;case Object:case Array:e=e==null?e:JSON.stringify(e)}return e},fromAttribute(e,t){let n=e;switch(t){case Boolean:n=e!==null;break;case Number:n=e===null?null:Number(e);break;case Object:case Array:try{n=JSON.parse(e)}catch{n=null}}return n}},Ar=(e,t)=>!Us(e,t),vr={attribute:!0,type:String,converter:gn,reflect:!1,useDefault:!1,hasChanged:Ar};Symbol.metadata??=Symbol("metadata"),vt.litPropertyMetadata??=new WeakMap;var ne=class extends HTMLElement{static addInitializer(t){this._$Ei(),(this.l??=[]).push(t)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(t,n=vr){if(n.state&&(n.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(t)&&((n=Object.create(n)).wrapped=!0),this.elementProperties.set(t,n),!n.noAccessor){let r=Symbol(),o=this.getPropertyDescriptor(t,r,n);o!==void 0&&Bs(this.prototype,t,o)}}static getPropertyDescriptor(t,n,r){let{get:o,set:i}=Fs(this.prototype,t)??{get(){return this[n]},set(s){this[n]=s}};return{get:o,set(s){let a=o?.call(this);i?.call(this,s),this.requestUpdate(t,a,r)},configurable:!0,enumerable:!0}}static getPropertyOptions(t){return this.elementProperties.get(t)??vr}static _$Ei(){if(this.hasOwnProperty(Xe("elementProperties")))return;let t=js(this);t.finalize(),t.l!==void 0&&(this.l=[...t.l]),this.elementProperties=new Map(t.elementProperties)}static finalize(){if(this.hasOwnProperty(Xe("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(Xe("properties"))){let n=this.properties,r=[...qs(n),...Ds(n)];for(let o of r)this.createProperty(o,n[o])}let t=this[Symbol.metadata];if(t!==null){let n=litPropertyMetadata.get(t);if(n!==void 0)for(let[r,o]of n)this.elementProperties.set(r,o)}this._$Eh=new Map;for(let[n,r]of this.elementProperties){let o=this._$Eu(n,r);o!==void 0&&this._$Eh.set(o,n)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(t){let n=[];if(Array.isArray(t)){let r=new Set(t.flat(1/0).reverse());for(let o of r)n.unshift(hn(o))}else t!==void 0&&n.push(hn(t));return n}static _$Eu(t,n){let r=n.attribute;return r===!1?void 0:typeof r=="string"?r:typeof t=="string"?t.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(t=>this.enableUpdating=t),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(t=>t(this))}addController(t){(this._$EO??=new Set).add(t),this.renderRoot!==void 0&&this.isConnected&&t.hostConnected?.()}removeController(t){this._$EO?.delete(t)}_$E_(){let t=new Map,n=this.constructor.elementProperties;for(let r of n.keys())this.hasOwnProperty(r)&&(t.set(r,this[r]),delete this[r]);t.size>0&&(this._$Ep=t)}createRenderRoot(){let t=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return wr(t,this.constructor.elementStyles),t}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(t=>t.hostConnected?.())}enableUpdating(t){}disconnectedCallback(){this._$EO?.forEach(t=>t.hostDisconnected?.())}attributeChangedCallback(t,n,r){this._$AK(t,r)}_$ET(t,n){let r=this.constructor.elementProperties.get(t),o=this.constructor._$Eu(t,r);if(o!==void 0&&r.reflect===!0){let i=(r.converter?.toAttribute!==void 0?r.converter:gn).toAttribute(n,r.type);this._$Em=t,i==null?this.removeAttribute(o):this.setAttribute(o,i),this._$Em=null}}_$AK(t,n){let r=this.constructor,o=r._$Eh.get(t);if(o!==void 0&&this._$Em!==o){let i=r.getPropertyOptions(o),s=typeof i.converter=="function"?{fromAttribute:i.converter}:i.converter?.fromAttribute!==void 0?i.converter:gn;this._$Em=o;let a=s.fromAttribute(n,i.type);this[o]=a??this._$Ej?.get(o)??a,this._$Em=null}}requestUpdate(t,n,r,o=!1,i){if(t!==void 0){let s=this.constructor;if(o===!1&&(i=this[t]),r??=s.getPropertyOptions(t),!((r.hasChanged??Ar)(i,n)||r.useDefault&&r.reflect&&i===this._$Ej?.get(t)&&!this.hasAttribute(s._$Eu(t,r))))return;this.C(t,n,r)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(t,n,{useDefault:r,reflect:o,wrapped:i},s){r&&!(this._$Ej??=new Map).has(t)&&(this._$Ej.set(t,s??n??this[t]),i!==!0||s!==void 0)||(this._$AL.has(t)||(this.hasUpdated||r||(n=void 0),this._$AL.set(t,n)),o===!0&&this._$Em!==t&&(this._$Eq??=new Set).add(t))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(n){Promise.reject(n)}let t=this.scheduleUpdate();return t!=null&&await t,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[o,i]of this._$Ep)this[o]=i;this._$Ep=void 0}let r=this.constructor.elementProperties;if(r.size>0)for(let[o,i]of r){let{wrapped:s}=i,a=this[o];s!==!0||this._$AL.has(o)||a===void 0||this.C(o,void 0,i,a)}}let t=!1,n=this._$AL;try{t=this.shouldUpdate(n),t?(this.willUpdate(n),this._$EO?.forEach(r=>r.hostUpdate?.()),this.update(n)):this._$EM()}catch(r){throw t=!1,this._$EM(),r}t&&this._$AE(n)}willUpdate(t){}_$AE(t){this._$EO?.forEach(n=>n.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(t)),this.updated(t)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(t){return!0}update(t){this._$Eq&&=this._$Eq.forEach(n=>this._$ET(n,this[n])),this._$EM()}updated(t){}firstUpdated(t){}};ne.elementStyles=[],ne.shadowRootOptions={mode:"open"},ne[Xe("elementProperties")]=new Map,ne[Xe("finalized")]=new Map,Ws?.({ReactiveElement:ne}),(vt.reactiveElementVersions??=[]).push("2.1.2");var xn=globalThis,kr=e=>e,At=xn.trustedTypes,Sr=At?At.createPolicy("lit-html",{createHTML:e=>e}):void 0,yn="$lit$",re=`lit$${Math.random().toFixed(9).slice(2)}$`,wn="?"+re,Ks=`<${wn}>`,xe=document,Qe=()=>xe.createComment(""),Ze=e=>e===null||typeof e!="object"&&typeof e!="function",$n=Array.isArray,Rr=e=>$n(e)||typeof e?.[Symbol.iterator]=="function",bn=`[ 	
\f\r]`,Je=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Mr=/-->/g,Tr=/>/g,ge=RegExp(`>|${bn}(?:([^\\s"'>=/]+)(${bn}*=${bn}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Er=/'/g,_r=/"/g,Cr=/^(?:script|style|textarea|title)$/i,vn=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),m=vn(1),Pr=vn(2),P=vn(3),ye=Symbol.for("lit-noChange"),b=Symbol.for("lit-nothing"),Nr=new WeakMap,be=xe.createTreeWalker(xe,129);function Ir(e,t){if(!$n(e)||!e.hasOwnProperty("raw"))throw Error("invalid template strings array");return Sr!==void 0?Sr.createHTML(t):t}var Hr=(e,t)=>{let n=e.length-1,r=[],o,i=t===2?"<svg>":t===3?"<math>":"",s=Je;for(let a=0;a<n;a++){let c=e[a],l,u,d=-1,f=0;for(;f<c.length&&(s.lastIndex=f,u=s.exec(c),u!==null);)f=s.lastIndex,s===Je?u[1]==="!--"?s=Mr:u[1]!==void 0?s=Tr:u[2]!==void 0?(Cr.test(u[2])&&(o=RegExp("</"+u[2],"g")),s=ge):u[3]!==void 0&&(s=ge):s===ge?u[0]===">"?(s=o??Je,d=-1):u[1]===void 0?d=-2:(d=s.lastIndex-u[2].length,l=u[1],s=u[3]===void 0?ge:u[3]==='"'?_r:Er):s===_r||s===Er?s=ge:s===Mr||s===Tr?s=Je:(s=ge,o=void 0);let p=s===ge&&e[a+1].startsWith("/>")?" ":"";i+=s===Je?c+Ks:d>=0?(r.push(l),c.slice(0,d)+yn+c.slice(d)+re+p):c+re+(d===-2?a:p)}return[Ir(e,i+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),r]},et=class e{constructor({strings:t,_$litType$:n},r){let o;this.parts=[];let i=0,s=0,a=t.length-1,c=this.parts,[l,u]=Hr(t,n);if(this.el=e.createElement(l,r),be.currentNode=this.el.content,n===2||n===3){let d=this.el.content.firstChild;d.replaceWith(...d.childNodes)}for(;(o=be.nextNode())!==null&&c.length<a;){if(o.nodeType===1){if(o.hasAttributes())for(let d of o.getAttributeNames())if(d.endsWith(yn)){let f=u[s++],p=o.getAttribute(d).split(re),g=/([.?@])?(.*)/.exec(f);c.push({type:1,index:i,name:g[2],strings:p,ctor:g[1]==="."?St:g[1]==="?"?Mt:g[1]==="@"?Tt:$e}),o.removeAttribute(d)}else d.startsWith(re)&&(c.push({type:6,index:i}),o.removeAttribute(d));if(Cr.test(o.tagName)){let d=o.textContent.split(re),f=d.length-1;if(f>0){o.textContent=At?At.emptyScript:"";for(let p=0;p<f;p++)o.append(d[p],Qe()),be.nextNode(),c.push({type:2,index:++i});o.append(d[f],Qe())}}}else if(o.nodeType===8)if(o.data===wn)c.push({type:2,index:i});else{let d=-1;for(;(d=o.data.indexOf(re,d+1))!==-1;)c.push({type:7,index:i}),d+=re.length-1}i++}}static createElement(t,n){let r=xe.createElement("template");return r.innerHTML=t,r}};function we(e,t,n=e,r){if(t===ye)return t;let o=r!==void 0?n._$Co?.[r]:n._$Cl,i=Ze(t)?void 0:t._$litDirective$;return o?.constructor!==i&&(o?._$AO?.(!1),i===void 0?o=void 0:(o=new i(e),o._$AT(e,n,r)),r!==void 0?(n._$Co??=[])[r]=o:n._$Cl=o),o!==void 0&&(t=we(e,o._$AS(e,t.values),o,r)),t}var kt=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:n},parts:r}=this._$AD,o=(t?.creationScope??xe).importNode(n,!0);be.currentNode=o;let i=be.nextNode(),s=0,a=0,c=r[0];for(;c!==void 0;){if(s===c.index){let l;c.type===2?l=new Re(i,i.nextSibling,this,t):c.type===1?l=new c.ctor(i,c.name,c.strings,this,t):c.type===6&&(l=new Et(i,this,t)),this._$AV.push(l),c=r[++a]}s!==c?.index&&(i=be.nextNode(),s++)}return be.currentNode=xe,o}p(t){let n=0;for(let r of this._$AV)r!==void 0&&(r.strings!==void 0?(r._$AI(t,r,n),n+=r.strings.length-2):r._$AI(t[n])),n++}},Re=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,r,o){this.type=2,this._$AH=b,this._$AN=void 0,this._$AA=t,this._$AB=n,this._$AM=r,this.options=o,this._$Cv=o?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=we(this,t,n),Ze(t)?t===b||t==null||t===""?(this._$AH!==b&&this._$AR(),this._$AH=b):t!==this._$AH&&t!==ye&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):Rr(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==b&&Ze(this._$AH)?this._$AA.nextSibling.data=t:this.T(xe.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:r}=t,o=typeof r=="number"?this._$AC(t):(r.el===void 0&&(r.el=et.createElement(Ir(r.h,r.h[0]),this.options)),r);if(this._$AH?._$AD===o)this._$AH.p(n);else{let i=new kt(o,this),s=i.u(this.options);i.p(n),this.T(s),this._$AH=i}}_$AC(t){let n=Nr.get(t.strings);return n===void 0&&Nr.set(t.strings,n=new et(t)),n}k(t){$n(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,r,o=0;for(let i of t)o===n.length?n.push(r=new e(this.O(Qe()),this.O(Qe()),this,this.options)):r=n[o],r._$AI(i),o++;o<n.length&&(this._$AR(r&&r._$AB.nextSibling,o),n.length=o)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);t!==this._$AB;){let r=kr(t).nextSibling;kr(t).remove(),t=r}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},$e=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,r,o,i){this.type=1,this._$AH=b,this._$AN=void 0,this.element=t,this.name=n,this._$AM=o,this.options=i,r.length>2||r[0]!==""||r[1]!==""?(this._$AH=Array(r.length-1).fill(new String),this.strings=r):this._$AH=b}_$AI(t,n=this,r,o){let i=this.strings,s=!1;if(i===void 0)t=we(this,t,n,0),s=!Ze(t)||t!==this._$AH&&t!==ye,s&&(this._$AH=t);else{let a=t,c,l;for(t=i[0],c=0;c<i.length-1;c++)l=we(this,a[r+c],n,c),l===ye&&(l=this._$AH[c]),s||=!Ze(l)||l!==this._$AH[c],l===b?t=b:t!==b&&(t+=(l??"")+i[c+1]),this._$AH[c]=l}s&&!o&&this.j(t)}j(t){t===b?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},St=class extends $e{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===b?void 0:t}},Mt=class extends $e{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==b)}},Tt=class extends $e{constructor(t,n,r,o,i){super(t,n,r,o,i),this.type=5}_$AI(t,n=this){if((t=we(this,t,n,0)??b)===ye)return;let r=this._$AH,o=t===b&&r!==b||t.capture!==r.capture||t.once!==r.once||t.passive!==r.passive,i=t!==b&&(r===b||o);o&&this.element.removeEventListener(this.name,this,r),i&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},Et=class{constructor(t,n,r){this.element=t,this.type=6,this._$AN=void 0,this._$AM=n,this.options=r}get _$AU(){return this._$AM._$AU}_$AI(t){we(this,t)}},Lr={M:yn,P:re,A:wn,C:1,L:Hr,R:kt,D:Rr,V:we,I:Re,H:$e,N:Mt,U:Tt,B:St,F:Et},Ys=xn.litHtmlPolyfillSupport;Ys?.(et,Re),(xn.litHtmlVersions??=[]).push("3.3.3");var Or=(e,t,n)=>{let r=n?.renderBefore??t,o=r._$litPart$;if(o===void 0){let i=n?.renderBefore??null;r._$litPart$=o=new Re(t.insertBefore(Qe(),i),i,void 0,n??{})}return o._$AI(e),o};var An=globalThis,Y=class extends ne{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let t=super.createRenderRoot();return this.renderOptions.renderBefore??=t.firstChild,t}update(t){let n=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(t),this._$Do=Or(n,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return ye}};Y._$litElement$=!0,Y.finalized=!0,An.litElementHydrateSupport?.({LitElement:Y});var Xs=An.litElementPolyfillSupport;Xs?.({LitElement:Y});(An.litElementVersions??=[]).push("4.2.2");function kn({heads:e,rows:t,columns:n,weights:r},o,i,{head:s,shift:a}){let c=new Int32Array(n);for(let u of o.word_pieces)for(let d of u)c[d]++;let l=s===null?Array.from({length:e},(u,d)=>d):[s];return i.word_pieces.map(u=>{let d=u.map(g=>g+a).filter(g=>g<t),f=g=>{let h=0;for(let x of l)for(let w of d)h+=r[(x*t+w)*n+g];return h/Math.max(1,d.length*l.length)};return[...o.word_pieces.map(g=>g.reduce((h,x)=>h+f(x)/Math.max(1,c[x]),0)),f(n-1)]})}var cu=new Set([173,1564,8203,8206,8207,8288,65279].concat([8234,8235,8236,8237,8238,8294,8295,8296,8297]));function zr({header:e,arrays:t}){return{...e,numbers:n=>t[n]}}var _t=class{#e;#t=new Map;#n=0;ready;constructor(t,n){let r=URL.createObjectURL(new Blob([t],{type:"text/javascript"}));this.#e=new Worker(r),URL.revokeObjectURL(r),this.ready=new Promise((o,i)=>{this.#t.set(-1,s=>"error"in s?i(new Error(s.error)):o())}),this.#e.onmessage=({data:o})=>{let i="number"in o?o.number:-1;this.#t.get(i)?.(o),this.#t.delete(i)},this.#e.postMessage({models:n})}explain(t){let n=this.#n++;return new Promise((r,o)=>{this.#t.set(n,i=>{"record"in i?r(i.record&&zr(i.record)):o(new Error("error"in i?i.error:"The engine did not answer."))}),this.#e.postMessage({number:n,...t})})}close(){this.#e.terminate()}};var Nt=S`
  :host {
    color-scheme: light dark;
    --ink: #1c2430; --soft: #566170; --line: #dfe4ea; --paper: #ffffff; --card: #f6f8fa;
    --accent: #1f5fa8; --accent-soft: #e3edf8; --bar: #35608f; --mark: #b65a00;
    display: block; background: var(--paper); color: var(--ink);
    font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
    font-variant-numeric: tabular-nums; text-align: start;
  }
  @media (prefers-color-scheme: dark) {
    :host {
      --ink: #e6eaf0; --soft: #a3aebc; --line: #323b47; --paper: #14181e; --card: #1c222a;
      --accent: #8ab8f0; --accent-soft: #223349; --bar: #8fb3dd; --mark: #f0a860;
    }
  }
  * { box-sizing: border-box; }
  h2, h3, p, figure { margin: 0; }
  h2 { font-size: 1.05rem; font-weight: 650; overflow-wrap: anywhere; }
  h3 { font-size: 1rem; font-weight: 650; }
  a { color: var(--accent); }
  .soft { color: var(--soft); }
  .small { font-size: 0.875rem; }
  .token { font-weight: 600; font-style: normal; overflow-wrap: anywhere; }
  .number { font-variant-numeric: tabular-nums; white-space: nowrap; }
  .number:not(td *) { font-weight: 600; }
  header { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: baseline; }
  header p { color: var(--soft); font-size: 0.875rem; overflow-wrap: anywhere; }
  .hidden {
    position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
    white-space: nowrap;
  }

  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
  button, select, input { font: inherit; color: inherit; }
  button, select {
    border: 1px solid var(--line); border-radius: 6px; background: var(--paper);
    padding: 0.25rem 0.65rem; min-height: 2rem; max-width: 100%;
  }
  button { cursor: pointer; }
  button:hover:enabled, select:hover { border-color: var(--soft); }
  button[aria-pressed="true"] { background: var(--accent-soft); border-color: var(--accent); }
  button:disabled { color: var(--soft); cursor: default; }
  select { text-overflow: ellipsis; }
  input[type="range"] { accent-color: var(--accent); vertical-align: middle; }

  [role="tablist"] {
    display: flex; gap: 0.25rem 1.25rem; flex-wrap: wrap; margin: 1rem 0 1.5rem;
    border-bottom: 1px solid var(--line);
  }
  [role="tab"] {
    border: 0; border-radius: 0; background: none; padding: 0.5rem 0; color: var(--soft);
    border-bottom: 2px solid transparent; margin-bottom: -1px; white-space: nowrap;
  }
  [role="tab"][aria-selected="true"] {
    color: var(--ink); border-color: var(--accent); font-weight: 600;
  }
  .panel { display: grid; gap: 1.25rem; min-width: 0; }
  .panel > * { min-width: 0; }
  .controls { display: flex; flex-wrap: wrap; gap: 0.6rem 1rem; align-items: end; }
  .controls label, .field { display: grid; gap: 0.15rem; font-size: 0.8125rem; color: var(--soft); }
  .controls label > *, .field button, .field input { font-size: 0.9375rem; color: var(--ink); }
  .controls label.inline {
    display: flex; align-items: center; gap: 0.4rem; min-height: 2rem; color: var(--ink);
    font-size: 0.9375rem;
  }
  .pair { display: flex; }
  .pair button { border-radius: 0; margin-inline-start: -1px; }
  .pair button:first-child { border-start-start-radius: 6px; border-end-start-radius: 6px; }
  .pair button:last-child { border-start-end-radius: 6px; border-end-end-radius: 6px; }

  .summary {
    font-size: 1.125rem; line-height: 1.5; max-width: 46rem; overflow: clip;
    overflow-clip-margin: 0.3rem;
  }
  .note { color: var(--soft); font-size: 0.875rem; max-width: 46rem; overflow-wrap: anywhere; }
  .note .number { color: var(--ink); }
  cite { font-style: normal; }
  .note strong { color: var(--ink); font-weight: 600; }
  .provenance { margin-top: 2rem; font-size: 0.8125rem; }
  .placeholder {
    border: 1px dashed var(--line); border-radius: 8px; padding: 1.5rem; max-width: 46rem;
    background: var(--card);
  }
  .scroll { overflow: auto; max-width: 100%; }
  canvas { display: block; image-rendering: pixelated; }
  .legend { display: flex; flex-wrap: wrap; gap: 0.4rem 1.25rem; align-items: center; }
  .legend span { display: inline-flex; align-items: center; gap: 0.4rem; }
  .ramp { width: 8rem; height: 0.75rem; border-radius: 2px; border: 1px solid var(--line); }
  .strip { width: 100%; height: 1.75rem; border-radius: 3px; border: 1px solid var(--line); }

  @media (prefers-reduced-motion: reduce) {
    * { transition: none !important; animation: none !important; }
  }
  @media (forced-colors: active) {
    button[aria-pressed="true"], [role="tab"][aria-selected="true"] {
      border-color: Highlight; forced-color-adjust: none; background: Highlight;
      color: HighlightText;
    }
  }
  @media print {
    [role="tablist"], .controls { display: none; }
    .scroll { overflow: visible; max-height: none !important; }
  }
`;var ve={hidden:[],removed:[],off:[],fixed:null,uniform:!1,temperature:1};function Ae(e){return JSON.stringify(e)===JSON.stringify(ve)}var Rt=class{constructor(t,n,r,o){this.engine=t;this.models=n;this.text=r;this.onChange=o;this.explanations=this.originals=Array(n).fill(null)}engine;models;text;onChange;edits=ve;explanations=[];originals=[];error="";milliseconds=0;setText(t){t!==this.text&&(this.text=t,this.edits={...this.edits,hidden:[],removed:[],fixed:null},this.translate())}edit(t){this.edits={...this.edits,...t},this.translate()}async translate(){let t=this.text.trim();this.error="",t&&await Promise.all(Array.from({length:this.models},(n,r)=>this.#e(t,r)))}async#e(t,n){try{let r=this.originals[n],o=r&&de(r).text===t?r:await this.engine.explain({model:n,text:t,purpose:"original",options:{}});if(!o)return;this.originals=Vr(this.originals,n,o);let i=Ae(this.edits)?o:await this.engine.explain({model:n,purpose:"changed",text:Zs(de(o),this.edits.removed),options:{changes:ea(this.edits,o)}});if(!i)return;this.explanations=Vr(this.explanations,n,i),this.onChange(i,n)}catch(r){this.error=r instanceof Error?r.message:String(r)}}};function Vr(e,t,n){return e.map((r,o)=>o===t?n:r)}function de(e){if(e.source?.kind!=="text")throw new Error("The source is not a text.");return e.source}function Ct({text:e,words:t}){let n=Array.from(e);return t.map(([r,o])=>n.slice(r,o).join(""))}function Zs({text:e,words:t},n){let r=Array.from(e);for(let[o,i]of n.map(s=>t[s]))for(let s=o;s<i;s++)r[s]="";return r.join("").replace(/\s+/g," ").trim()}function ea(e,t){let n=de(t),r=n.words.map((a,c)=>c).filter(a=>!e.removed.includes(a)),o=ta(n,r),i=t.attentions.filter(({kind:a})=>a==="cross"),s={hidden:e.hidden.flatMap(a=>o[r.indexOf(a)]??[]),off:e.off.map(a=>{let[c,l]=a.split("/");return{attention:c,head:Number(l)}}),temperature:e.temperature};return e.uniform&&(s.uniform=i.map(({name:a})=>a)),e.fixed&&!e.removed.length&&(s.fixed=na(e.fixed,t,i)),s}function ta(e,t){let n=e.word_pieces[0]?.[0]??0;return t.map(r=>e.word_pieces[r].map(()=>n++))}function na({word:e,weights:t},{source:n,target:r},o){let i=n,s=new Array(i.pieces.length).fill(0);s[s.length-1]=t[t.length-1];for(let[c,l]of i.word_pieces.entries())for(let u of l)s[u]+=t[c]/l.length;let a=r.word_pieces[e]??[];return o.flatMap(({name:c})=>a.map(l=>({attention:c,step:l,head:null,weights:s})))}function Ur(){let e=Fr(location.hash),t=e.get("edits");try{return{text:e.get("text"),edits:t===null?null:ra(JSON.parse(t))}}catch{return{text:e.get("text"),edits:null}}}function Br({text:e,edits:t},n){let r=Fr(location.hash);r.delete("text"),r.delete("edits"),e!==n&&r.set("text",e),Ae(t)||r.set("edits",JSON.stringify(t));let[o]=location.hash.slice(1).split("&"),i=r.toString(),s=o||i?`#${o}${i?`&${i}`:""}`:location.pathname;location.protocol!=="about:"&&location.hash!==s&&history.replaceState(null,"",s)}function Fr(e){let t=e.indexOf("&");return new URLSearchParams(t<0?"":e.slice(t+1))}function ra(e){let t={...ve,...e},n=i=>Array.isArray(i)&&i.every(s=>Number.isInteger(s)&&s>=0),r=t.fixed;return n(t.hidden)&&n(t.removed)&&Array.isArray(t.off)&&t.off.every(i=>typeof i=="string")&&(r===null||Number.isInteger(r.word)&&r.weights.every(Number.isFinite))&&typeof t.uniform=="boolean"&&t.temperature>0&&t.temperature<1e3?t:ve}function Dr(e,t){let n=e.originals.find(i=>i?.attentions.some(Sn)),r=e.originals.find(i=>i!==null);if(!r)return m``;let o=i=>{e.edit(i),t()};return m`<div class="changes">
    ${oa(e.edits,r,n!==void 0,o)}
    ${n?ia(e,n,o):b}
    ${Ae(e.edits)?b:m`<button data-testid="undo" @click=${()=>o(ve)}>Undo all changes</button>`}
  </div>`}function oa(e,t,n,r){let o=Ct(de(t)),i=e.removed.length||!n?"removed":"hidden",s=e[i],a=u=>r({[i]:s.includes(u)?s.filter(d=>d!==u):[...s,u],fixed:null}),c=u=>r({hidden:[],removed:[],[u]:s,fixed:null}),l=s.length>=o.length-1;return m`<fieldset data-testid="strike">
    <legend>Strike a word</legend>
    <span class="words">${o.map((u,d)=>m`<button class="strike" data-testid="struck" data-word=${d} lang=""
        aria-pressed=${s.includes(d)} ?disabled=${l&&!s.includes(d)}
        @click=${()=>a(d)}>${u}</button>`)}</span>
    ${n?m`<label><input type="radio" name="strike" ?checked=${i==="hidden"}
            @change=${()=>c("hidden")}>attention does not see it</label>
          <label><input type="radio" name="strike" ?checked=${i==="removed"}
            data-testid="remove" @change=${()=>c("removed")}>it is not in the sentence</label>`:b}
  </fieldset>`}function ia(e,t,n){let{edits:r}=e,o=t.attentions.filter(Sn).flatMap(i=>Array.from({length:i.heads},(s,a)=>({attention:i,head:a})));return m`<details>
    <summary>Change the attention</summary>
    <div class="controls">
      <label class="inline"><input type="checkbox" data-testid="uniform" ?checked=${r.uniform}
        @change=${()=>n({uniform:!r.uniform})}>equal weights</label>
      <label>temperature ${r.temperature.toFixed(2)}
        <input type="range" min="-3" max="3" step="0.25" data-testid="live-temperature"
          .value=${String(Math.log2(r.temperature))} ?disabled=${r.uniform}
          @input=${i=>n({temperature:2**Number(i.target.value)})}>
      </label>
      ${o.length>1?sa(r,o,n):b}
    </div>
    ${r.removed.length?b:aa(r,t,n)}
  </details>`}function sa(e,t,n){let r=o=>n({off:e.off.includes(o)?e.off.filter(i=>i!==o):[...e.off,o]});return m`<fieldset data-testid="switches"><legend>Heads</legend>${t.map(({attention:o,head:i})=>{let s=`${o.name}/${i}`,a=`layer ${o.layer+1}, head ${i+1}`;return m`<button class="head" data-testid="switch" data-head=${s} title=${a}
        aria-label=${a} aria-pressed=${!e.off.includes(s)}
        @click=${()=>r(s)}>${o.layer+1}.${i+1}</button>`})}</fieldset>`}function aa(e,t,n){let r=de(t),o=[...Ct(r),"end"],i=Ct(t.target),s=e.fixed?.word??0,a=e.fixed?.weights??qr(t,s),c=u=>n({fixed:{word:u,weights:qr(t,u)}}),l=(u,d)=>{let f=1-a[u],p=a.map((g,h)=>h===u?d:f>0?g*(1-d)/f:(1-d)/(a.length-1));n({fixed:{word:s,weights:p}})};return i.length?m`<fieldset class="weights" data-testid="weights">
    <legend>Weights for <select aria-label="target word" data-testid="weights-of"
      @change=${u=>c(Number(u.target.value))}>
      ${i.map((u,d)=>m`<option value=${d} ?selected=${d===s}>${u}</option>`)}
      </select></legend>
    ${o.map((u,d)=>m`<label><span>${u}</span>
        <input type="range" min="0" max="1" step="0.01" data-testid="weight" data-word=${d}
          aria-label=${`weight of ${u}`} .value=${String(a[d])}
          @input=${f=>l(d,Number(f.target.value))}>
        <span class="number">${a[d].toFixed(2)}</span></label>`)}
    ${e.fixed?m`<button @click=${()=>n({fixed:null})}>Use the model's weights</button>`:b}
  </fieldset>`:m``}function qr(e,t){let n=e.attentions.filter(Sn).at(-1),r=e.numbers(n.weights),o=de(e).pieces.length,i={heads:n.heads,rows:r.length/n.heads/o,columns:o},s={head:null,shift:0};return kn({...i,weights:r},de(e),e.target,s)[t]}function Sn({kind:e}){return e==="cross"}var jr=S`
  .changes { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-items: start; }
  fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.35rem; align-items: center; min-width: 0; }
  legend { float: left; padding: 0; margin-inline-end: 0.5rem; color: var(--soft); }
  .words { display: inline-flex; flex-wrap: wrap; gap: 0.25rem; }
  .strike { padding: 0.1rem 0.5rem; }
  .strike[aria-pressed="true"] { text-decoration: line-through 2px; background: var(--card); color: var(--soft); }
  .head { padding: 0.1rem 0.4rem; font-variant-numeric: tabular-nums; }
  .head[aria-pressed="false"] { text-decoration: line-through; color: var(--soft); }
  summary { cursor: pointer; min-height: 2rem; color: var(--accent); }
  .weights { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); margin-top: 0.75rem; }
  .weights legend { float: none; margin-bottom: 0.35rem; }
  .weights label { display: grid; grid-template-columns: 6rem 1fr 2.5rem; gap: 0.5rem; align-items: center; }
  .weights label > span:first-child { overflow: hidden; text-overflow: ellipsis; }
`;var Mn=class{at=0;laps=new Map},Gr=new WeakMap;function Wr(e,t,n,r){let o=Gr.get(e)??new Mn;Gr.set(e,o);let i=t.race,[s,a]=i[o.at];for(let u of t.names.keys())ca(e,o,u,i[o.at],r);let c=u=>{o.at=Number(u.target.value),r()},l=s.split(/\s+/).length;return m`<div class="race" data-testid="race">
    <label class="length"><span>Length: <strong>${l} words</strong></span>
      <input type="range" min="0" max=${i.length-1} step="1" .value=${String(o.at)}
        data-testid="race-length" aria-label="length of the sentence" @input=${c}></label>
    <p class="lane sentence-of-race" dir="auto">${s}
      <button class="small" @click=${()=>n(s)}>See how</button></p>
    ${t.names.map((u,d)=>la(u,o.laps.get(Kr(s,d)),d,a))}
  </div>`}function la(e,t,n,r){let o=t?.text.split(/\s+/).filter(Boolean)??[],i=t?.right.filter(Boolean).length??0,s=r.split(/\s+/).length;return m`<div class="lane" data-testid="lane" data-model=${n} data-right=${i} data-of=${s}>
    <span class="name">${e}</span>
    <p dir="auto">${o.map((a,c)=>m`<span class=${t?.right[c]?"right":"wrong"}>${a}</span> `)}</p>
    <span class="score">${t?m`${i} of ${s} words right`:"…"}</span>
  </div>`}function ca(e,t,n,[r,o],i){let s=Kr(r,n);t.laps.has(s)||e.explain({model:n,text:r,purpose:r,options:{}}).then(a=>{if(!a)return;let{text:c}=a.target;t.laps.set(s,{text:c,right:ua(c,o)}),i()})}function Kr(e,t){return`${t} ${e}`}function ua(e,t){let n=e.split(/\s+/).filter(Boolean),r=t.split(/\s+/).filter(Boolean),o=n.map(()=>new Array(r.length+1).fill(0));o.push(new Array(r.length+1).fill(0));for(let s=n.length-1;s>=0;s--)for(let a=r.length-1;a>=0;a--)o[s][a]=n[s]===r[a]?o[s+1][a+1]+1:Math.max(o[s+1][a],o[s][a+1]);let i=n.map(()=>!1);for(let s=0,a=0;s<n.length&&a<r.length;)n[s]===r[a]?(i[s]=!0,s++,a++):o[s+1][a]>=o[s][a+1]?s++:a++;return i}var Yr=S`
  .race {
    display: grid; gap: 0.5rem; padding: 1rem 1.25rem; border: 1px solid var(--line);
    border-radius: 10px; background: var(--card);
  }
  .length { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; }
  .length input { flex: 1; min-width: 10rem; }
  .lane { display: grid; grid-template-columns: 9rem 1fr auto; gap: 0.25rem 1rem; align-items: baseline; font-size: 1.2rem; }
  .sentence-of-race { display: block; font-size: 1.2rem; }
  .name, .score { color: var(--soft); font-size: 1rem; }
  .wrong { text-decoration: underline wavy 2px var(--mark); text-underline-offset: 0.25em; }
  @media (max-width: 40rem) { .lane { grid-template-columns: 1fr; } }
`;var da=400,Pt=class extends Y{static styles=[Nt,jr,Yr,ma()];#e=null;#t={text:"",names:[],examples:[],race:[]};#n="";#o=!1;connectedCallback(){if(super.connectedCallback(),this.#e||this.#n)return;let t=o=>Array.from(this.querySelectorAll(`:scope > script[type="${o}"]`),i=>i.textContent??""),[n]=t("application/json"),[r]=t("text/plain");this.#t={...this.#t,...JSON.parse(n??"{}")},this.#i(r,t("application/vnd.regard.model+json"))}disconnectedCallback(){super.disconnectedCallback(),this.#e?.engine.close()}async#i(t,n){try{let r=new _t(t,n),{text:o,edits:i}=Ur(),s=new Rt(r,n.length,o??this.#t.text,(a,c)=>this.#s(a,c));i&&(s.edits=i),await r.ready,this.#e=s,await s.translate()}catch(r){this.#n=r instanceof Error?r.message:String(r)}this.requestUpdate(),await this.updateComplete,performance.mark("regard-live"),this.dispatchEvent(new Event("regard-live"))}#s(t,n){this.querySelector("regard-view")?.replace(t,n),this.requestUpdate()}updated(t){this.#e&&Br(this.#e,this.#t.text)}render(){return m`<section aria-label="sentence">${this.#n?this.#a(this.#n):this.#c()}</section>
      <slot></slot>`}#a(t){return m`<p class="placeholder" role="alert">${t}</p>`}#c(){let t=this.#e;return t?m`${this.#t.race.length&&t.models>1?Wr(t.engine,this.#t,n=>this.#l(n),()=>this.requestUpdate()):b}
    <label class="source"><span class="soft">Type a sentence</span>
      <textarea rows="1" maxlength=${da} dir="auto" spellcheck="false" data-testid="live-source"
        .value=${t.text} @input=${this.#m}></textarea></label>
    ${this.#t.examples.length?this.#u():b}
    <div class="outputs">${this.#t.names.map((n,r)=>this.#d(n,r))}</div>
    ${t.error?this.#a(t.error):b}
    ${Dr(t,()=>this.requestUpdate())}
    <p><button data-testid="share" @click=${this.#f}>${this.#o?"Copied":"Copy a link to this"}</button></p>`:m`<p class="soft">The model is being read.</p>`}#u(){return m`<p class="examples">${this.#t.examples.map(t=>m`<button data-testid="example" @click=${()=>this.#l(t)}>${t}</button>`)}</p>`}#d(t,n){let r=this.#e,o=r.explanations[n],i=r.originals[n],s=!Ae(r.edits)&&i!==null&&o?.target.text!==i.target.text;return m`<p class="output" data-testid="live-output" data-model=${n}>
      ${r.models>1?m`<span class="soft">${t}</span> `:b}
      <span dir="auto" aria-live="polite">${o?.target.text??""}</span>
      ${s?m`<br><span class="soft small">without changes: <span dir="auto">${i.target.text}</span></span>`:b}
    </p>`}#l(t){this.#e?.setText(t),this.requestUpdate()}#m(t){this.#e?.setText(t.target.value)}async#f(){try{await navigator.clipboard.writeText(location.href),this.#o=!0,setTimeout(()=>{this.#o=!1,this.requestUpdate()},2e3)}catch{this.#e&&(this.#e.error="The browser does not allow copying. Copy the address of the page.")}this.requestUpdate()}};function ma(){return S`
    section { display: grid; gap: 0.75rem; margin-bottom: 1.25rem; }
    .source { display: grid; gap: 0.25rem; }
    textarea {
      font: inherit; font-size: 1.35rem; padding: 0.5rem 0.75rem; border: 1px solid var(--line);
      border-radius: 8px; background: var(--paper); color: var(--ink); resize: vertical;
      field-sizing: content; width: 100%;
    }
    .outputs { display: grid; gap: 0.25rem; }
    .output { font-size: 1.35rem; min-height: 2rem; }
    .output .soft { font-size: 0.9375rem; }
    .examples { display: flex; flex-wrap: wrap; gap: 0.35rem; }
    .examples button { font-size: 0.9375rem; }
  `}function It(e,t){return e==null||t==null?NaN:e<t?-1:e>t?1:e>=t?0:NaN}function fa(e,t){return e==null||t==null?NaN:t<e?-1:t>e?1:t>=e?0:NaN}function Xr(e){let t,n,r;e.length!==2?(t=It,n=(a,c)=>It(e(a),c),r=(a,c)=>e(a)-c):(t=e===It||e===fa?e:pa,n=e,r=e);function o(a,c,l=0,u=a.length){if(l<u){if(t(c,c)!==0)return u;do{let d=l+u>>>1;n(a[d],c)<0?l=d+1:u=d}while(l<u)}return l}function i(a,c,l=0,u=a.length){if(l<u){if(t(c,c)!==0)return u;do{let d=l+u>>>1;n(a[d],c)<=0?l=d+1:u=d}while(l<u)}return l}function s(a,c,l=0,u=a.length){let d=o(a,c,l,u-1);return d>l&&r(a[d-1],c)>-r(a[d],c)?d-1:d}return{left:o,center:s,right:i}}function pa(){return 0}function ha(e){return e===null?NaN:+e}var Jr=Xr(It),Qr=Jr.right,id=Jr.left,sd=Xr(ha).center;var ad=Zr(eo),ld=Zr(ga);function Zr(e){return function(t,n,r=n){if(!((n=+n)>=0))throw new RangeError("invalid rx");if(!((r=+r)>=0))throw new RangeError("invalid ry");let{data:o,width:i,height:s}=t;if(!((i=Math.floor(i))>=0))throw new RangeError("invalid width");if(!((s=Math.floor(s!==void 0?s:o.length/i))>=0))throw new RangeError("invalid height");if(!i||!s||!n&&!r)return t;let a=n&&e(n),c=r&&e(r),l=o.slice();return a&&c?(Ce(a,l,o,i,s),Ce(a,o,l,i,s),Ce(a,l,o,i,s),Pe(c,o,l,i,s),Pe(c,l,o,i,s),Pe(c,o,l,i,s)):a?(Ce(a,o,l,i,s),Ce(a,l,o,i,s),Ce(a,o,l,i,s)):c&&(Pe(c,o,l,i,s),Pe(c,l,o,i,s),Pe(c,o,l,i,s)),t}}function Ce(e,t,n,r,o){for(let i=0,s=r*o;i<s;)e(t,n,i,i+=r,1)}function Pe(e,t,n,r,o){for(let i=0,s=r*o;i<r;++i)e(t,n,i,i+s,r)}function ga(e){let t=eo(e);return(n,r,o,i,s)=>{o<<=2,i<<=2,s<<=2,t(n,r,o+0,i+0,s),t(n,r,o+1,i+1,s),t(n,r,o+2,i+2,s),t(n,r,o+3,i+3,s)}}function eo(e){let t=Math.floor(e);if(t===e)return ba(e);let n=e-t,r=2*e+1;return(o,i,s,a,c)=>{if(!((a-=c)>=s))return;let l=t*i[s],u=c*t,d=u+c;for(let f=s,p=s+u;f<p;f+=c)l+=i[Math.min(a,f)];for(let f=s,p=a;f<=p;f+=c)l+=i[Math.min(a,f+u)],o[f]=(l+n*(i[Math.max(s,f-d)]+i[Math.min(a,f+d)]))/r,l-=i[Math.max(s,f-u)]}}function ba(e){let t=2*e+1;return(n,r,o,i,s)=>{if(!((i-=s)>=o))return;let a=e*r[o],c=s*e;for(let l=o,u=o+c;l<u;l+=s)a+=r[Math.min(i,l)];for(let l=o,u=i;l<=u;l+=s)a+=r[Math.min(i,l+c)],n[l]=a/t,a-=r[Math.max(o,l-c)]}}var xa=Array.prototype,cd=xa.slice;var ya=Math.sqrt(50),wa=Math.sqrt(10),$a=Math.sqrt(2);function Ht(e,t,n){let r=(t-e)/Math.max(0,n),o=Math.floor(Math.log10(r)),i=r/Math.pow(10,o),s=i>=ya?10:i>=wa?5:i>=$a?2:1,a,c,l;return o<0?(l=Math.pow(10,-o)/s,a=Math.round(e*l),c=Math.round(t*l),a/l<e&&++a,c/l>t&&--c,l=-l):(l=Math.pow(10,o)*s,a=Math.round(e/l),c=Math.round(t/l),a*l<e&&++a,c*l>t&&--c),c<a&&.5<=n&&n<2?Ht(e,t,n*2):[a,c,l]}function to(e,t,n){if(t=+t,e=+e,n=+n,!(n>0))return[];if(e===t)return[e];let r=t<e,[o,i,s]=r?Ht(t,e,n):Ht(e,t,n);if(!(i>=o))return[];let a=i-o+1,c=new Array(a);if(r)if(s<0)for(let l=0;l<a;++l)c[l]=(i-l)/-s;else for(let l=0;l<a;++l)c[l]=(i-l)*s;else if(s<0)for(let l=0;l<a;++l)c[l]=(o+l)/-s;else for(let l=0;l<a;++l)c[l]=(o+l)*s;return c}function Lt(e,t,n){return t=+t,e=+e,n=+n,Ht(e,t,n)[2]}function no(e,t,n){t=+t,e=+e,n=+n;let r=t<e,o=r?Lt(t,e,n):Lt(e,t,n);return(r?-1:1)*(o<0?1/-o:o)}var ud=va(Math.random);function va(e){return function(n,r=0,o=n.length){let i=o-(r=+r);for(;i;){let s=e()*i--|0,a=n[i+r];n[i+r]=n[s+r],n[s+r]=a}return n}}function ro(e,t){switch(arguments.length){case 0:break;case 1:this.range(e);break;default:this.range(t).domain(e);break}return this}function Ot(e,t){switch(arguments.length){case 0:break;case 1:{typeof e=="function"?this.interpolator(e):this.range(e);break}default:{this.domain(e),typeof t=="function"?this.interpolator(t):this.range(t);break}}return this}function Oe(e,t,n){e.prototype=t.prototype=n,n.constructor=e}function rt(e,t){var n=Object.create(e.prototype);for(var r in t)n[r]=t[r];return n}function me(){}var Te=.7,Le=1/Te,Ie="\\s*([+-]?\\d+)\\s*",tt="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*",X="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*",Aa=/^#([0-9a-f]{3,8})$/,ka=new RegExp(`^rgb\\(${Ie},${Ie},${Ie}\\)$`),Sa=new RegExp(`^rgb\\(${X},${X},${X}\\)$`),Ma=new RegExp(`^rgba\\(${Ie},${Ie},${Ie},${tt}\\)$`),Ta=new RegExp(`^rgba\\(${X},${X},${X},${tt}\\)$`),Ea=new RegExp(`^hsl\\(${tt},${X},${X}\\)$`),_a=new RegExp(`^hsla\\(${tt},${X},${X},${tt}\\)$`),oo={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074};Oe(me,ze,{copy(e){return Object.assign(new this.constructor,this,e)},displayable(){return this.rgb().displayable()},hex:io,formatHex:io,formatHex8:Na,formatHsl:Ra,formatRgb:so,toString:so});function io(){return this.rgb().formatHex()}function Na(){return this.rgb().formatHex8()}function Ra(){return go(this).formatHsl()}function so(){return this.rgb().formatRgb()}function ze(e){var t,n;return e=(e+"").trim().toLowerCase(),(t=Aa.exec(e))?(n=t[1].length,t=parseInt(t[1],16),n===6?ao(t):n===3?new I(t>>8&15|t>>4&240,t>>4&15|t&240,(t&15)<<4|t&15,1):n===8?zt(t>>24&255,t>>16&255,t>>8&255,(t&255)/255):n===4?zt(t>>12&15|t>>8&240,t>>8&15|t>>4&240,t>>4&15|t&240,((t&15)<<4|t&15)/255):null):(t=ka.exec(e))?new I(t[1],t[2],t[3],1):(t=Sa.exec(e))?new I(t[1]*255/100,t[2]*255/100,t[3]*255/100,1):(t=Ma.exec(e))?zt(t[1],t[2],t[3],t[4]):(t=Ta.exec(e))?zt(t[1]*255/100,t[2]*255/100,t[3]*255/100,t[4]):(t=Ea.exec(e))?uo(t[1],t[2]/100,t[3]/100,1):(t=_a.exec(e))?uo(t[1],t[2]/100,t[3]/100,t[4]):oo.hasOwnProperty(e)?ao(oo[e]):e==="transparent"?new I(NaN,NaN,NaN,0):null}function ao(e){return new I(e>>16&255,e>>8&255,e&255,1)}function zt(e,t,n,r){return r<=0&&(e=t=n=NaN),new I(e,t,n,r)}function Cn(e){return e instanceof me||(e=ze(e)),e?(e=e.rgb(),new I(e.r,e.g,e.b,e.opacity)):new I}function ot(e,t,n,r){return arguments.length===1?Cn(e):new I(e,t,n,r??1)}function I(e,t,n,r){this.r=+e,this.g=+t,this.b=+n,this.opacity=+r}Oe(I,ot,rt(me,{brighter(e){return e=e==null?Le:Math.pow(Le,e),new I(this.r*e,this.g*e,this.b*e,this.opacity)},darker(e){return e=e==null?Te:Math.pow(Te,e),new I(this.r*e,this.g*e,this.b*e,this.opacity)},rgb(){return this},clamp(){return new I(Se(this.r),Se(this.g),Se(this.b),Ut(this.opacity))},displayable(){return-.5<=this.r&&this.r<255.5&&-.5<=this.g&&this.g<255.5&&-.5<=this.b&&this.b<255.5&&0<=this.opacity&&this.opacity<=1},hex:lo,formatHex:lo,formatHex8:Ca,formatRgb:co,toString:co}));function lo(){return`#${ke(this.r)}${ke(this.g)}${ke(this.b)}`}function Ca(){return`#${ke(this.r)}${ke(this.g)}${ke(this.b)}${ke((isNaN(this.opacity)?1:this.opacity)*255)}`}function co(){let e=Ut(this.opacity);return`${e===1?"rgb(":"rgba("}${Se(this.r)}, ${Se(this.g)}, ${Se(this.b)}${e===1?")":`, ${e})`}`}function Ut(e){return isNaN(e)?1:Math.max(0,Math.min(1,e))}function Se(e){return Math.max(0,Math.min(255,Math.round(e)||0))}function ke(e){return e=Se(e),(e<16?"0":"")+e.toString(16)}function uo(e,t,n,r){return r<=0?e=t=n=NaN:n<=0||n>=1?e=t=NaN:t<=0&&(e=NaN),new D(e,t,n,r)}function go(e){if(e instanceof D)return new D(e.h,e.s,e.l,e.opacity);if(e instanceof me||(e=ze(e)),!e)return new D;if(e instanceof D)return e;e=e.rgb();var t=e.r/255,n=e.g/255,r=e.b/255,o=Math.min(t,n,r),i=Math.max(t,n,r),s=NaN,a=i-o,c=(i+o)/2;return a?(t===i?s=(n-r)/a+(n<r)*6:n===i?s=(r-t)/a+2:s=(t-n)/a+4,a/=c<.5?i+o:2-i-o,s*=60):a=c>0&&c<1?0:s,new D(s,a,c,e.opacity)}function Ft(e,t,n,r){return arguments.length===1?go(e):new D(e,t,n,r??1)}function D(e,t,n,r){this.h=+e,this.s=+t,this.l=+n,this.opacity=+r}Oe(D,Ft,rt(me,{brighter(e){return e=e==null?Le:Math.pow(Le,e),new D(this.h,this.s,this.l*e,this.opacity)},darker(e){return e=e==null?Te:Math.pow(Te,e),new D(this.h,this.s,this.l*e,this.opacity)},rgb(){var e=this.h%360+(this.h<0)*360,t=isNaN(e)||isNaN(this.s)?0:this.s,n=this.l,r=n+(n<.5?n:1-n)*t,o=2*n-r;return new I(Tn(e>=240?e-240:e+120,o,r),Tn(e,o,r),Tn(e<120?e+240:e-120,o,r),this.opacity)},clamp(){return new D(mo(this.h),Vt(this.s),Vt(this.l),Ut(this.opacity))},displayable(){return(0<=this.s&&this.s<=1||isNaN(this.s))&&0<=this.l&&this.l<=1&&0<=this.opacity&&this.opacity<=1},formatHsl(){let e=Ut(this.opacity);return`${e===1?"hsl(":"hsla("}${mo(this.h)}, ${Vt(this.s)*100}%, ${Vt(this.l)*100}%${e===1?")":`, ${e})`}`}}));function mo(e){return e=(e||0)%360,e<0?e+360:e}function Vt(e){return Math.max(0,Math.min(1,e||0))}function Tn(e,t,n){return(e<60?t+(n-t)*e/60:e<180?n:e<240?t+(n-t)*(240-e)/60:t)*255}var bo=Math.PI/180,xo=180/Math.PI,Bt=18,yo=.96422,wo=1,$o=.82521,vo=4/29,He=6/29,Ao=3*He*He,Pa=He*He*He;function ko(e){if(e instanceof J)return new J(e.l,e.a,e.b,e.opacity);if(e instanceof oe)return Mo(e);e instanceof I||(e=Cn(e));var t=Rn(e.r),n=Rn(e.g),r=Rn(e.b),o=En((.2225045*t+.7168786*n+.0606169*r)/wo),i,s;return t===n&&n===r?i=s=o:(i=En((.4360747*t+.3850649*n+.1430804*r)/yo),s=En((.0139322*t+.0971045*n+.7141733*r)/$o)),new J(116*o-16,500*(i-o),200*(o-s),e.opacity)}function So(e,t,n,r){return arguments.length===1?ko(e):new J(e,t,n,r??1)}function J(e,t,n,r){this.l=+e,this.a=+t,this.b=+n,this.opacity=+r}Oe(J,So,rt(me,{brighter(e){return new J(this.l+Bt*(e??1),this.a,this.b,this.opacity)},darker(e){return new J(this.l-Bt*(e??1),this.a,this.b,this.opacity)},rgb(){var e=(this.l+16)/116,t=isNaN(this.a)?e:e+this.a/500,n=isNaN(this.b)?e:e-this.b/200;return t=yo*_n(t),e=wo*_n(e),n=$o*_n(n),new I(Nn(3.1338561*t-1.6168667*e-.4906146*n),Nn(-.9787684*t+1.9161415*e+.033454*n),Nn(.0719453*t-.2289914*e+1.4052427*n),this.opacity)}}));function En(e){return e>Pa?Math.pow(e,1/3):e/Ao+vo}function _n(e){return e>He?e*e*e:Ao*(e-vo)}function Nn(e){return 255*(e<=.0031308?12.92*e:1.055*Math.pow(e,1/2.4)-.055)}function Rn(e){return(e/=255)<=.04045?e/12.92:Math.pow((e+.055)/1.055,2.4)}function Ia(e){if(e instanceof oe)return new oe(e.h,e.c,e.l,e.opacity);if(e instanceof J||(e=ko(e)),e.a===0&&e.b===0)return new oe(NaN,0<e.l&&e.l<100?0:NaN,e.l,e.opacity);var t=Math.atan2(e.b,e.a)*xo;return new oe(t<0?t+360:t,Math.sqrt(e.a*e.a+e.b*e.b),e.l,e.opacity)}function qt(e,t,n,r){return arguments.length===1?Ia(e):new oe(e,t,n,r??1)}function oe(e,t,n,r){this.h=+e,this.c=+t,this.l=+n,this.opacity=+r}function Mo(e){if(isNaN(e.h))return new J(e.l,0,0,e.opacity);var t=e.h*bo;return new J(e.l,Math.cos(t)*e.c,Math.sin(t)*e.c,e.opacity)}Oe(oe,qt,rt(me,{brighter(e){return new oe(this.h,this.c,this.l+Bt*(e??1),this.opacity)},darker(e){return new oe(this.h,this.c,this.l-Bt*(e??1),this.opacity)},rgb(){return Mo(this).rgb()}}));var To=-.14861,Pn=1.78277,In=-.29227,Dt=-.90649,nt=1.97294,fo=nt*Dt,po=nt*Pn,ho=Pn*In-Dt*To;function Ha(e){if(e instanceof Me)return new Me(e.h,e.s,e.l,e.opacity);e instanceof I||(e=Cn(e));var t=e.r/255,n=e.g/255,r=e.b/255,o=(ho*r+fo*t-po*n)/(ho+fo-po),i=r-o,s=(nt*(n-o)-In*i)/Dt,a=Math.sqrt(s*s+i*i)/(nt*o*(1-o)),c=a?Math.atan2(s,i)*xo-120:NaN;return new Me(c<0?c+360:c,a,o,e.opacity)}function jt(e,t,n,r){return arguments.length===1?Ha(e):new Me(e,t,n,r??1)}function Me(e,t,n,r){this.h=+e,this.s=+t,this.l=+n,this.opacity=+r}Oe(Me,jt,rt(me,{brighter(e){return e=e==null?Le:Math.pow(Le,e),new Me(this.h,this.s,this.l*e,this.opacity)},darker(e){return e=e==null?Te:Math.pow(Te,e),new Me(this.h,this.s,this.l*e,this.opacity)},rgb(){var e=isNaN(this.h)?0:(this.h+120)*bo,t=+this.l,n=isNaN(this.s)?0:this.s*t*(1-t),r=Math.cos(e),o=Math.sin(e);return new I(255*(t+n*(To*r+Pn*o)),255*(t+n*(In*r+Dt*o)),255*(t+n*(nt*r)),this.opacity)}}));function Ro(e,t,n,r,o){var i=e*e,s=i*e;return((1-3*e+3*i-s)*t+(4-6*i+3*s)*n+(1+3*e+3*i-3*s)*r+s*o)/6}function La(e){var t=e.length-1;return function(n){var r=n<=0?n=0:n>=1?(n=1,t-1):Math.floor(n*t),o=e[r],i=e[r+1],s=r>0?e[r-1]:2*o-i,a=r<t-1?e[r+2]:2*i-o;return Ro((n-r/t)*t,s,o,i,a)}}function Oa(e){var t=e.length;return function(n){var r=Math.floor(((n%=1)<0?++n:n)*t),o=e[(r+t-1)%t],i=e[r%t],s=e[(r+1)%t],a=e[(r+2)%t];return Ro((n-r/t)*t,o,i,s,a)}}var Wt=e=>()=>e;function Co(e,t){return function(n){return e+n*t}}function za(e,t,n){return e=Math.pow(e,n),t=Math.pow(t,n)-e,n=1/n,function(r){return Math.pow(e+r*t,n)}}function zn(e,t){var n=t-e;return n?Co(e,n>180||n<-180?n-360*Math.round(n/360):n):Wt(isNaN(e)?t:e)}function Va(e){return(e=+e)==1?O:function(t,n){return n-t?za(t,n,e):Wt(isNaN(t)?n:t)}}function O(e,t){var n=t-e;return n?Co(e,n):Wt(isNaN(e)?t:e)}var Eo=(function e(t){var n=Va(t);function r(o,i){var s=n((o=ot(o)).r,(i=ot(i)).r),a=n(o.g,i.g),c=n(o.b,i.b),l=O(o.opacity,i.opacity);return function(u){return o.r=s(u),o.g=a(u),o.b=c(u),o.opacity=l(u),o+""}}return r.gamma=e,r})(1);function Po(e){return function(t){var n=t.length,r=new Array(n),o=new Array(n),i=new Array(n),s,a;for(s=0;s<n;++s)a=ot(t[s]),r[s]=a.r||0,o[s]=a.g||0,i[s]=a.b||0;return r=e(r),o=e(o),i=e(i),a.opacity=1,function(c){return a.r=r(c),a.g=o(c),a.b=i(c),a+""}}}var Io=Po(La),hd=Po(Oa);function Ua(e,t){t||(t=[]);var n=e?Math.min(t.length,e.length):0,r=t.slice(),o;return function(i){for(o=0;o<n;++o)r[o]=e[o]*(1-i)+t[o]*i;return r}}function Ba(e){return ArrayBuffer.isView(e)&&!(e instanceof DataView)}function Fa(e,t){var n=t?t.length:0,r=e?Math.min(n,e.length):0,o=new Array(r),i=new Array(n),s;for(s=0;s<r;++s)o[s]=ie(e[s],t[s]);for(;s<n;++s)i[s]=t[s];return function(a){for(s=0;s<r;++s)i[s]=o[s](a);return i}}function qa(e,t){var n=new Date;return e=+e,t=+t,function(r){return n.setTime(e*(1-r)+t*r),n}}function j(e,t){return e=+e,t=+t,function(n){return e*(1-n)+t*n}}function Da(e,t){var n={},r={},o;(e===null||typeof e!="object")&&(e={}),(t===null||typeof t!="object")&&(t={});for(o in t)o in e?n[o]=ie(e[o],t[o]):r[o]=t[o];return function(i){for(o in n)r[o]=n[o](i);return r}}var Ln=/[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g,Hn=new RegExp(Ln.source,"g");function ja(e){return function(){return e}}function Ga(e){return function(t){return e(t)+""}}function Wa(e,t){var n=Ln.lastIndex=Hn.lastIndex=0,r,o,i,s=-1,a=[],c=[];for(e=e+"",t=t+"";(r=Ln.exec(e))&&(o=Hn.exec(t));)(i=o.index)>n&&(i=t.slice(n,i),a[s]?a[s]+=i:a[++s]=i),(r=r[0])===(o=o[0])?a[s]?a[s]+=o:a[++s]=o:(a[++s]=null,c.push({i:s,x:j(r,o)})),n=Hn.lastIndex;return n<t.length&&(i=t.slice(n),a[s]?a[s]+=i:a[++s]=i),a.length<2?c[0]?Ga(c[0].x):ja(t):(t=c.length,function(l){for(var u=0,d;u<t;++u)a[(d=c[u]).i]=d.x(l);return a.join("")})}function ie(e,t){var n=typeof t,r;return t==null||n==="boolean"?Wt(t):(n==="number"?j:n==="string"?(r=ze(t))?(t=r,Eo):Wa:t instanceof ze?Eo:t instanceof Date?qa:Ba(t)?Ua:Array.isArray(t)?Fa:typeof t.valueOf!="function"&&typeof t.toString!="function"||isNaN(t)?Da:j)(e,t)}function Ve(e,t){return e=+e,t=+t,function(n){return Math.round(e*(1-n)+t*n)}}var _o=180/Math.PI,On={translateX:0,translateY:0,rotate:0,skewX:0,scaleX:1,scaleY:1};function Ho(e,t,n,r,o,i){var s,a,c;return(s=Math.sqrt(e*e+t*t))&&(e/=s,t/=s),(c=e*n+t*r)&&(n-=e*c,r-=t*c),(a=Math.sqrt(n*n+r*r))&&(n/=a,r/=a,c/=a),e*r<t*n&&(e=-e,t=-t,c=-c,s=-s),{translateX:o,translateY:i,rotate:Math.atan2(t,e)*_o,skewX:Math.atan(c)*_o,scaleX:s,scaleY:a}}var Gt;function Ka(e){let t=new(typeof DOMMatrix=="function"?DOMMatrix:WebKitCSSMatrix)(e+"");return t.isIdentity?On:Ho(t.a,t.b,t.c,t.d,t.e,t.f)}function Ya(e){return e==null||(Gt||(Gt=document.createElementNS("http://www.w3.org/2000/svg","g")),Gt.setAttribute("transform",e),!(e=Gt.transform.baseVal.consolidate()))?On:(e=e.matrix,Ho(e.a,e.b,e.c,e.d,e.e,e.f))}function Lo(e,t,n,r){function o(l){return l.length?l.pop()+" ":""}function i(l,u,d,f,p,g){if(l!==d||u!==f){var h=p.push("translate(",null,t,null,n);g.push({i:h-4,x:j(l,d)},{i:h-2,x:j(u,f)})}else(d||f)&&p.push("translate("+d+t+f+n)}function s(l,u,d,f){l!==u?(l-u>180?u+=360:u-l>180&&(l+=360),f.push({i:d.push(o(d)+"rotate(",null,r)-2,x:j(l,u)})):u&&d.push(o(d)+"rotate("+u+r)}function a(l,u,d,f){l!==u?f.push({i:d.push(o(d)+"skewX(",null,r)-2,x:j(l,u)}):u&&d.push(o(d)+"skewX("+u+r)}function c(l,u,d,f,p,g){if(l!==d||u!==f){var h=p.push(o(p)+"scale(",null,",",null,")");g.push({i:h-4,x:j(l,d)},{i:h-2,x:j(u,f)})}else(d!==1||f!==1)&&p.push(o(p)+"scale("+d+","+f+")")}return function(l,u){var d=[],f=[];return l=e(l),u=e(u),i(l.translateX,l.translateY,u.translateX,u.translateY,d,f),s(l.rotate,u.rotate,d,f),a(l.skewX,u.skewX,d,f),c(l.scaleX,l.scaleY,u.scaleX,u.scaleY,d,f),l=u=null,function(p){for(var g=-1,h=f.length,x;++g<h;)d[(x=f[g]).i]=x.x(p);return d.join("")}}}var gd=Lo(Ka,"px, ","px)","deg)"),bd=Lo(Ya,", ",")",")"),Xa=1e-12;function No(e){return((e=Math.exp(e))+1/e)/2}function Ja(e){return((e=Math.exp(e))-1/e)/2}function Qa(e){return((e=Math.exp(2*e))-1)/(e+1)}var xd=(function e(t,n,r){function o(i,s){var a=i[0],c=i[1],l=i[2],u=s[0],d=s[1],f=s[2],p=u-a,g=d-c,h=p*p+g*g,x,w;if(h<Xa)w=Math.log(f/l)/t,x=function(A){return[a+A*p,c+A*g,l*Math.exp(t*A*w)]};else{var v=Math.sqrt(h),C=(f*f-l*l+r*h)/(2*l*n*v),L=(f*f-l*l-r*h)/(2*f*n*v),K=Math.log(Math.sqrt(C*C+1)-C),$=Math.log(Math.sqrt(L*L+1)-L);w=($-K)/t,x=function(A){var T=A*w,_=No(K),q=l/(n*v)*(_*Qa(t*T+K)-Ja(K));return[a+q*p,c+q*g,l*_/No(t*T+K)]}}return x.duration=Math.abs(w)*1e3*t/Math.SQRT2,x}return o.rho=function(i){var s=Math.max(.001,+i),a=s*s,c=a*a;return e(s,a,c)},o})(Math.SQRT2,2,4);function Oo(e){return function(t,n){var r=e((t=Ft(t)).h,(n=Ft(n)).h),o=O(t.s,n.s),i=O(t.l,n.l),s=O(t.opacity,n.opacity);return function(a){return t.h=r(a),t.s=o(a),t.l=i(a),t.opacity=s(a),t+""}}}var yd=Oo(zn),wd=Oo(O);function zo(e){return function(t,n){var r=e((t=qt(t)).h,(n=qt(n)).h),o=O(t.c,n.c),i=O(t.l,n.l),s=O(t.opacity,n.opacity);return function(a){return t.h=r(a),t.c=o(a),t.l=i(a),t.opacity=s(a),t+""}}}var $d=zo(zn),vd=zo(O);function Vo(e){return(function t(n){n=+n;function r(o,i){var s=e((o=jt(o)).h,(i=jt(i)).h),a=O(o.s,i.s),c=O(o.l,i.l),l=O(o.opacity,i.opacity);return function(u){return o.h=s(u),o.s=a(u),o.l=c(Math.pow(u,n)),o.opacity=l(u),o+""}}return r.gamma=t,r})(1)}var Ad=Vo(zn),kd=Vo(O);function Uo(e,t){t===void 0&&(t=e,e=ie);for(var n=0,r=t.length-1,o=t[0],i=new Array(r<0?0:r);n<r;)i[n]=e(o,o=t[++n]);return function(s){var a=Math.max(0,Math.min(r-1,Math.floor(s*=r)));return i[a](s-a)}}function Vn(e){return function(){return e}}function Un(e){return+e}var Bo=[0,1];function U(e){return e}function Bn(e,t){return(t-=e=+e)?function(n){return(n-e)/t}:Vn(isNaN(t)?NaN:.5)}function Za(e,t){var n;return e>t&&(n=e,e=t,t=n),function(r){return Math.max(e,Math.min(t,r))}}function el(e,t,n){var r=e[0],o=e[1],i=t[0],s=t[1];return o<r?(r=Bn(o,r),i=n(s,i)):(r=Bn(r,o),i=n(i,s)),function(a){return i(r(a))}}function tl(e,t,n){var r=Math.min(e.length,t.length)-1,o=new Array(r),i=new Array(r),s=-1;for(e[r]<e[0]&&(e=e.slice().reverse(),t=t.slice().reverse());++s<r;)o[s]=Bn(e[s],e[s+1]),i[s]=n(t[s],t[s+1]);return function(a){var c=Qr(e,a,1,r)-1;return i[c](o[c](a))}}function Fo(e,t){return t.domain(e.domain()).range(e.range()).interpolate(e.interpolate()).clamp(e.clamp()).unknown(e.unknown())}function nl(){var e=Bo,t=Bo,n=ie,r,o,i,s=U,a,c,l;function u(){var f=Math.min(e.length,t.length);return s!==U&&(s=Za(e[0],e[f-1])),a=f>2?tl:el,c=l=null,d}function d(f){return f==null||isNaN(f=+f)?i:(c||(c=a(e.map(r),t,n)))(r(s(f)))}return d.invert=function(f){return s(o((l||(l=a(t,e.map(r),j)))(f)))},d.domain=function(f){return arguments.length?(e=Array.from(f,Un),u()):e.slice()},d.range=function(f){return arguments.length?(t=Array.from(f),u()):t.slice()},d.rangeRound=function(f){return t=Array.from(f),n=Ve,u()},d.clamp=function(f){return arguments.length?(s=f?!0:U,u()):s!==U},d.interpolate=function(f){return arguments.length?(n=f,u()):n},d.unknown=function(f){return arguments.length?(i=f,d):i},function(f,p){return r=f,o=p,u()}}function Fn(){return nl()(U,U)}function rl(e){return Math.abs(e=Math.round(e))>=1e21?e.toLocaleString("en").replace(/,/g,""):e.toString(10)}function Yt(e,t){if(!isFinite(e)||e===0)return null;var n=(e=t?e.toExponential(t-1):e.toExponential()).indexOf("e"),r=e.slice(0,n);return[r.length>1?r[0]+r.slice(2):r,+e.slice(n+1)]}function Ue(e){return e=Yt(Math.abs(e)),e?e[1]:NaN}function ol(e,t){return function(n,r){for(var o=n.length,i=[],s=0,a=e[0],c=0;o>0&&a>0&&(c+a+1>r&&(a=Math.max(1,r-c)),i.push(n.substring(o-=a,o+a)),!((c+=a+1)>r));)a=e[s=(s+1)%e.length];return i.reverse().join(t)}}function il(e){return function(t){return t.replace(/[0-9]/g,function(n){return e[+n]})}}var sl=/^(?:(.)?([<>=^]))?([+\-( ])?([$#])?(0)?(\d+)?(,)?(\.\d+)?(~)?([a-z%])?$/i;function it(e){if(!(t=sl.exec(e)))throw new Error("invalid format: "+e);var t;return new qn({fill:t[1],align:t[2],sign:t[3],symbol:t[4],zero:t[5],width:t[6],comma:t[7],precision:t[8]&&t[8].slice(1),trim:t[9],type:t[10]})}it.prototype=qn.prototype;function qn(e){this.fill=e.fill===void 0?" ":e.fill+"",this.align=e.align===void 0?">":e.align+"",this.sign=e.sign===void 0?"-":e.sign+"",this.symbol=e.symbol===void 0?"":e.symbol+"",this.zero=!!e.zero,this.width=e.width===void 0?void 0:+e.width,this.comma=!!e.comma,this.precision=e.precision===void 0?void 0:+e.precision,this.trim=!!e.trim,this.type=e.type===void 0?"":e.type+""}qn.prototype.toString=function(){return this.fill+this.align+this.sign+this.symbol+(this.zero?"0":"")+(this.width===void 0?"":Math.max(1,this.width|0))+(this.comma?",":"")+(this.precision===void 0?"":"."+Math.max(0,this.precision|0))+(this.trim?"~":"")+this.type};function al(e){e:for(var t=e.length,n=1,r=-1,o;n<t;++n)switch(e[n]){case".":r=o=n;break;case"0":r===0&&(r=n),o=n;break;default:if(!+e[n])break e;r>0&&(r=0);break}return r>0?e.slice(0,r)+e.slice(o+1):e}var Xt;function ll(e,t){var n=Yt(e,t);if(!n)return Xt=void 0,e.toPrecision(t);var r=n[0],o=n[1],i=o-(Xt=Math.max(-8,Math.min(8,Math.floor(o/3)))*3)+1,s=r.length;return i===s?r:i>s?r+new Array(i-s+1).join("0"):i>0?r.slice(0,i)+"."+r.slice(i):"0."+new Array(1-i).join("0")+Yt(e,Math.max(0,t+i-1))[0]}function qo(e,t){var n=Yt(e,t);if(!n)return e+"";var r=n[0],o=n[1];return o<0?"0."+new Array(-o).join("0")+r:r.length>o+1?r.slice(0,o+1)+"."+r.slice(o+1):r+new Array(o-r.length+2).join("0")}var Do={"%":(e,t)=>(e*100).toFixed(t),b:e=>Math.round(e).toString(2),c:e=>e+"",d:rl,e:(e,t)=>e.toExponential(t),f:(e,t)=>e.toFixed(t),g:(e,t)=>e.toPrecision(t),o:e=>Math.round(e).toString(8),p:(e,t)=>qo(e*100,t),r:qo,s:ll,X:e=>Math.round(e).toString(16).toUpperCase(),x:e=>Math.round(e).toString(16)};function jo(e){return e}var Go=Array.prototype.map,Wo=["y","z","a","f","p","n","µ","m","","k","M","G","T","P","E","Z","Y"];function cl(e){var t=e.grouping===void 0||e.thousands===void 0?jo:ol(Go.call(e.grouping,Number),e.thousands+""),n=e.currency===void 0?"":e.currency[0]+"",r=e.currency===void 0?"":e.currency[1]+"",o=e.decimal===void 0?".":e.decimal+"",i=e.numerals===void 0?jo:il(Go.call(e.numerals,String)),s=e.percent===void 0?"%":e.percent+"",a=e.minus===void 0?"−":e.minus+"",c=e.nan===void 0?"NaN":e.nan+"";function l(d,f){d=it(d);var p=d.fill,g=d.align,h=d.sign,x=d.symbol,w=d.zero,v=d.width,C=d.comma,L=d.precision,K=d.trim,$=d.type;$==="n"?(C=!0,$="g"):Do[$]||(L===void 0&&(L=12),K=!0,$="g"),(w||p==="0"&&g==="=")&&(w=!0,p="0",g="=");var A=(f&&f.prefix!==void 0?f.prefix:"")+(x==="$"?n:x==="#"&&/[boxX]/.test($)?"0"+$.toLowerCase():""),T=(x==="$"?r:/[%p]/.test($)?s:"")+(f&&f.suffix!==void 0?f.suffix:""),_=Do[$],q=/[defgprs%]/.test($);L=L===void 0?6:/[gprs]/.test($)?Math.max(1,Math.min(21,L)):Math.max(0,Math.min(20,L));function Ke(k){var ee=A,V=T,Ne,br,bt;if($==="c")V=_(k)+V,k="";else{k=+k;var xt=k<0||1/k<0;if(k=isNaN(k)?c:_(Math.abs(k),L),K&&(k=al(k)),xt&&+k==0&&h!=="+"&&(xt=!1),ee=(xt?h==="("?h:a:h==="-"||h==="("?"":h)+ee,V=($==="s"&&!isNaN(k)&&Xt!==void 0?Wo[8+Xt/3]:"")+V+(xt&&h==="("?")":""),q){for(Ne=-1,br=k.length;++Ne<br;)if(bt=k.charCodeAt(Ne),48>bt||bt>57){V=(bt===46?o+k.slice(Ne+1):k.slice(Ne))+V,k=k.slice(0,Ne);break}}}C&&!w&&(k=t(k,1/0));var yt=ee.length+k.length+V.length,te=yt<v?new Array(v-yt+1).join(p):"";switch(C&&w&&(k=t(te+k,te.length?v-V.length:1/0),te=""),g){case"<":k=ee+k+V+te;break;case"=":k=ee+te+k+V;break;case"^":k=te.slice(0,yt=te.length>>1)+ee+k+V+te.slice(yt);break;default:k=te+ee+k+V;break}return i(k)}return Ke.toString=function(){return d+""},Ke}function u(d,f){var p=Math.max(-8,Math.min(8,Math.floor(Ue(f)/3)))*3,g=Math.pow(10,-p),h=l((d=it(d),d.type="f",d),{suffix:Wo[8+p/3]});return function(x){return h(g*x)}}return{format:l,formatPrefix:u}}var Kt,Dn,jn;ul({thousands:",",grouping:[3],currency:["$",""]});function ul(e){return Kt=cl(e),Dn=Kt.format,jn=Kt.formatPrefix,Kt}function Ko(e){return Math.max(0,-Ue(Math.abs(e)))}function Yo(e,t){return Math.max(0,Math.max(-8,Math.min(8,Math.floor(Ue(t)/3)))*3-Ue(Math.abs(e)))}function Xo(e,t){return e=Math.abs(e),t=Math.abs(t)-e,Math.max(0,Ue(t)-Ue(e))+1}function Gn(e,t,n,r){var o=no(e,t,n),i;switch(r=it(r??",f"),r.type){case"s":{var s=Math.max(Math.abs(e),Math.abs(t));return r.precision==null&&!isNaN(i=Yo(o,s))&&(r.precision=i),jn(r,s)}case"":case"e":case"g":case"p":case"r":{r.precision==null&&!isNaN(i=Xo(o,Math.max(Math.abs(e),Math.abs(t))))&&(r.precision=i-(r.type==="e"));break}case"f":case"%":{r.precision==null&&!isNaN(i=Ko(o))&&(r.precision=i-(r.type==="%")*2);break}}return Dn(r)}function st(e){var t=e.domain;return e.ticks=function(n){var r=t();return to(r[0],r[r.length-1],n??10)},e.tickFormat=function(n,r){var o=t();return Gn(o[0],o[o.length-1],n??10,r)},e.nice=function(n){n==null&&(n=10);var r=t(),o=0,i=r.length-1,s=r[o],a=r[i],c,l,u=10;for(a<s&&(l=s,s=a,a=l,l=o,o=i,i=l);u-- >0;){if(l=Lt(s,a,n),l===c)return r[o]=s,r[i]=a,t(r);if(l>0)s=Math.floor(s/l)*l,a=Math.ceil(a/l)*l;else if(l<0)s=Math.ceil(s*l)/l,a=Math.floor(a*l)/l;else break;c=l}return e},e}function G(){var e=Fn();return e.copy=function(){return Fo(e,G())},ro.apply(e,arguments),st(e)}function dl(){var e=0,t=1,n,r,o,i,s=U,a=!1,c;function l(d){return d==null||isNaN(d=+d)?c:s(o===0?.5:(d=(i(d)-n)*o,a?Math.max(0,Math.min(1,d)):d))}l.domain=function(d){return arguments.length?([e,t]=d,n=i(e=+e),r=i(t=+t),o=n===r?0:1/(r-n),l):[e,t]},l.clamp=function(d){return arguments.length?(a=!!d,l):a},l.interpolator=function(d){return arguments.length?(s=d,l):s};function u(d){return function(f){var p,g;return arguments.length?([p,g]=f,s=d(p,g),l):[s(0),s(1)]}}return l.range=u(ie),l.rangeRound=u(Ve),l.unknown=function(d){return arguments.length?(c=d,l):c},function(d){return i=d,n=d(e),r=d(t),o=n===r?0:1/(r-n),l}}function Wn(e,t){return t.domain(e.domain()).interpolator(e.interpolator()).clamp(e.clamp()).unknown(e.unknown())}function at(){var e=st(dl()(U));return e.copy=function(){return Wn(e,at())},Ot.apply(e,arguments)}function ml(){var e=0,t=.5,n=1,r=1,o,i,s,a,c,l=U,u,d=!1,f;function p(h){return isNaN(h=+h)?f:(h=.5+((h=+u(h))-i)*(r*h<r*i?a:c),l(d?Math.max(0,Math.min(1,h)):h))}p.domain=function(h){return arguments.length?([e,t,n]=h,o=u(e=+e),i=u(t=+t),s=u(n=+n),a=o===i?0:.5/(i-o),c=i===s?0:.5/(s-i),r=i<o?-1:1,p):[e,t,n]},p.clamp=function(h){return arguments.length?(d=!!h,p):d},p.interpolator=function(h){return arguments.length?(l=h,p):l};function g(h){return function(x){var w,v,C;return arguments.length?([w,v,C]=x,l=Uo(h,[w,v,C]),p):[l(0),l(.5),l(1)]}}return p.range=g(ie),p.rangeRound=g(Ve),p.unknown=function(h){return arguments.length?(f=h,p):f},function(h){return u=h,o=h(e),i=h(t),s=h(n),a=o===i?0:.5/(i-o),c=i===s?0:.5/(s-i),r=i<o?-1:1,p}}function lt(){var e=st(ml()(U));return e.copy=function(){return Wn(e,lt())},Ot.apply(e,arguments)}var fl={"<s>":"‹start›","</s>":"‹end›","∅":"‹empty slot›"};function R(e){return fl[e]??Jo(e.replaceAll("▁","·"))}function Jo(e){return/[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]/u.test(e)?e:Array.from(e,t=>`U+${t.codePointAt(0)?.toString(16).padStart(4,"0")}`).join(" ")||"‹empty›"}function B(e,t,n){let{spans:r}=t,o=Array.from(t.text),i=new Set(t.word_pieces.flat()),s=l=>!i.has(l)&&r[l][0]===r[l][1],a=t.pieces.map((l,u)=>({label:R(l),positions:[u],special:s(u),span:r[u]}));if(n==="pieces")return{name:e,text:o,units:a};let c=t.words.map((l,u)=>({label:Jo(o.slice(...l).join("")),positions:t.word_pieces[u],special:!1,span:l}));return{name:e,text:o,units:[...c,...a.filter((l,u)=>!i.has(u))]}}function pl(e,t,n){let r=B("target",e,t),o=n?["∅","<s>"]:["<s>"],i=r.units.flatMap(a=>{let c=a.positions.map(l=>l+o.length).filter(l=>l<e.pieces.length);return c.length?[{...a,positions:c}]:[]}),s=o.slice(0,e.pieces.length).map((a,c)=>({label:R(a),positions:[c],special:!0,span:null}));return{...r,name:"prefix",units:[...s,...i]}}function hl(e){let t=Array.from({length:e.rows*e.columns},(n,r)=>({label:`row ${Math.floor(r/e.columns)+1}, column ${r%e.columns+1}`,positions:[r],special:!1,span:null}));return{name:"image",text:[],units:t}}function Kn(e,t,n){let{kind:r,blank_memory:o}=t,i=B("target",e.target,n);if(r==="self")return[i,pl(e.target,n,o)];if(e.source===null)throw new Error(`The record is damaged: it has ${r} attention but no source.`);let s=e.source.kind==="image"?hl(e.source):B("source",e.source,n);return r==="encoder"?[s,s]:[i,s]}function Qo(e,t,n,r,o){let[i,s]=Kn(e,t,o),a=1+Math.max(...s.units.flatMap(f=>f.positions)),c=se(e.numbers(t.weights),t.heads,n),l=c.length/a,u=new Float32Array(i.units.length*s.units.length);i.units.forEach((f,p)=>{let g=f.positions.map(h=>h+r).filter(h=>h<l);s.units.forEach((h,x)=>{let w=0;for(let v of g)for(let C of h.positions)w+=c[v*a+C];u[p*s.units.length+x]=w/g.length})});let d=s.units.length;return{rows:i,columns:s,weights:u,row:f=>u.subarray(f*d,(f+1)*d)}}function se(e,t,n){let r=e.length/t;if(typeof n=="number")return e.subarray(n*r,(n+1)*r);let o=new Float32Array(r);for(let i=0;i<t;i++)for(let s=0;s<r;s++){let a=e[i*r+s];o[s]=n==="mean"?o[s]+a/t:Math.max(o[s],a)}return o}function ct(e,t){return Math.max(0,e.units.findIndex(n=>n.positions.includes(t)))}function Zo(e,t){let n=t.length/e.length,r=new Array(n).fill(0);for(let o=0;o<e.length;o++)for(let i=0;i<n;i++)r[i]+=e[o]*t[o*n+i];return r}function gl(e,t=1){let n=Array.from(e),r=Math.max(...n),o=n.map(s=>Math.exp((s-r)/t)),i=o.reduce((s,a)=>s+a,0);return o.map(s=>s/i)}function bl(e,t=1){let n=Array.from(e,s=>s/t),r=[...n].sort((s,a)=>a-s),o=0,i=0;for(let s=1;s<=r.length&&(o+=r[s-1],1+s*r[s-1]>o);s++)i=(o-1)/s;return n.map(s=>Math.max(0,s-i))}function xl(e){let t=N(e);return Array.from(e,(n,r)=>r===t?1:0)}function yl(e){let t=Array.from(e,r=>r>Number.NEGATIVE_INFINITY?1:0),n=t.reduce((r,o)=>r+o,0);return t.map(r=>r/n)}var Jt=new Map([["softmax",gl],["sparsemax",bl],["hard",xl],["uniform",yl]]);function ei(e,t,n,r){return Array.from(e,(o,i)=>r?r[i]*Math.tanh(o+t[i]):n*o*t[i])}function N(e){let t=0;for(let n=1;n<e.length;n++)e[n]>e[t]&&(t=n);return t}function ae(e){return Array.from(e,(t,n)=>n).sort((t,n)=>e[n]-e[t])}function ut(e){let t=0;for(let n=0;n<e.length;n++)e[n]>0&&(t-=e[n]*Math.log2(e[n]));return t}function ti(e,t){let n=0;for(let r=0;r<e.length;r++)n+=Math.abs(e[r]-t[r]);return n/2}function ni(e,t){return 2*[...e].filter(r=>t.has(r)).length/Math.max(1,e.size+t.size)}function oi(e,t){let r={...{view:t,record:0,attention:"",head:"mean",shift:0,userSelected:!1,units:"words",specialTokens:!0,row:0,column:-1,by:"row",stage:0,temperature:1,playing:!1,pace:2,sort:"layer",node:null,pruned:!1,intervention:0,grid:!1},...F(e[0])};return{...r,row:wl(e[0],r)}}function wl(e,t){let n=H(e,t.attention);if(n?.kind!=="cross"||e.source?.kind!=="text")return 0;let{rows:r,columns:o,row:i}=Fe(e,n,t.head,t.shift,"words"),s=r.units.map(({label:l,special:u})=>u?0:$l(l)),a=Math.min(4,Math.max(...s)),c=r.units.map((l,u)=>{if(!s[u]||s[u]<a)return-1;let d=N(i(u)),f=Math.abs(d/o.units.length-u/r.units.length);return o.units[d].special?0:i(u)[d]*f||0});return r.units[N(c)]?.positions[0]??0}function $l(e){return e.match(/[\p{L}\p{N}]/gu)?.length??0}function F(e){let{alignment_head:t,head_trace:n,attentions:r}=e,o=r.filter(({kind:c})=>c==="cross").at(-1)??r.at(-1),i=t?.attention??n?.attention??o?.name??"",a=H(e,i)?.heads===1?0:(t??n)?.head??"mean";return{attention:i,head:a,shift:t?.shift??0,userSelected:!1}}function H(e,t){return e.attentions.find(n=>n.name===t)}function Be({record:e,selection:t}){let n=H(e,t.attention);if(!n)return null;let r=n.kind==="cross"?t.shift:0;return Fe(e,n,t.head,r,t.units)}function fe(e,t){let n=ct(e.rows,t.row),r=t.column<0?N(e.row(n)):ct(e.columns,t.column);return{row:n,column:r}}var ri=new WeakMap;function Fe(e,t,n,r,o){let i=ri.get(e)??new Map;ri.set(e,i);let s=`${t.name} ${n} ${r} ${o}`,a=i.get(s)??Qo(e,t,n,r,o);return i.set(s,a),a}var ii="Attention weights do not explain why the model chose a word.",qe={cross:"Cross-attention",self:"Decoder self-attention",encoder:"Encoder self-attention"},Yn=["at output","at next input (shifted by one)"];function y(e){return m`<data class="number" data-value=${e} value=${e}>${E(e)}</data>`}function E(e){if(Number.isNaN(e))return"–";if(e===Number.NEGATIVE_INFINITY)return"−∞";let t=e.toFixed(3).replace("-","−");return t==="−0.000"?t.slice(1):t}function M(e){return m`<bdi class="token" dir="auto">${e}</bdi>`}function De(e,{kind:t,layer:n,heads:r},{head:o,shift:i}){let s=new Set(e.attentions.filter(c=>c.kind===t).map(c=>c.layer)).size,a=[`layer ${n+1} of ${s}`];return r===1?a.push("one head"):typeof o=="number"?a.push(`head ${o+1} of ${r}`):a.push(`${o==="mean"?"mean":"maximum"} of ${r} heads`),t==="cross"&&a.push(Yn[i]),`${qe[t]}: ${a.join(", ")}`}function si(e,t){let n=e.alignment_head?.agreement,{attention:r,head:o,shift:i}=F(e),s=r===t.attention&&o===t.head&&i===t.shift;return n===void 0||!s?t.userSelected?"selected by you":"":n?m`the alignment head: its links agree best with a dictionary (F1 ${y(n)})`:"the alignment head of the model bundle"}function Qt(e,t){let n=e.row(t),r=M(e.rows.units[t].label);if(Number.isNaN(n[0]))return m`${r} has no weights at this step: no input follows it.`;let o=a=>M(e.columns.units[a].label),[i,s]=ae(n);return m`${r} attends most to ${o(i)} ${y(n[i])}${s===void 0||n[s]<.005?"":m`, then to ${o(s)} ${y(n[s])}`}`}function Zt(e,t){let n=e.rows.units.map((s,a)=>e.row(a)[t]||0),r=s=>M(e.rows.units[s].label),[o,i]=ae(n);return m`${M(e.columns.units[t].label)} gets the highest weight from ${r(o)}
  ${y(n[o])}${i===void 0||n[i]<.005?"":m`, then from ${r(i)} ${y(n[i])}`}`}function ai({selection:e,change:t},n,r){let{units:o,scores:i,weights:s,norms:a}=n,c=s.map((x,w)=>x*a[w]),l=Array.from(i??[]).filter(Number.isFinite),u=G().domain([Math.min(0,...l),Math.max(0,...l)]).range([0,100]),d=G().domain([0,Math.max(...c)||1]).range([0,100]),f=G().domain([0,Math.max(1,...s)]).range([0,100]),p=x=>t({column:x},`[data-position="${x}"]`),g=x=>{let w={ArrowDown:1,ArrowUp:-1}[x.key],v=w===void 0?-1:r+w;v<0||v>=o.length||(x.preventDefault(),p(v))},h=x=>e.stage===x?"current":"";return m`<div class="scroll tall"><table class="bars" data-testid="positions">
    <caption class="hidden">Score, weight and contribution of each position</caption>
    <colgroup><col class="name"></colgroup>
    <thead><tr><th scope="col"><span class="hidden">position</span></th>
      <th scope="col" class=${h(1)}>score</th><th scope="col" class=${h(2)}>weight</th>
      <th scope="col" class=${h(3)}>weight × ‖value‖</th></tr></thead>
    <tbody @keydown=${g}>
      ${o.map(({label:x,special:w},v)=>m`<tr class=${v===r?"here":""}>
          <th scope="row"><button data-position=${v} tabindex=${v===r?0:-1} title=${x}
            aria-pressed=${v===r} ?data-special=${w} @click=${()=>p(v)}><bdi dir="auto">${x}</bdi></button></th>
          <td class=${h(1)} data-testid="score">${i===null?"–":en(u(0),u(Number.isFinite(i[v])?i[v]:0),i[v])}</td>
          <td class=${h(2)} data-testid="weight">${en(0,f(s[v]),s[v])}</td>
          <td class=${h(3)} data-testid="contribution">${en(0,d(c[v]),c[v])}</td>
        </tr>`)}
    </tbody></table></div>`}function tn(e,t){let n=e.target.pieces[t],{top:r,logp:o}=e.steps[t],i=r.some(([s])=>s===n)?r:[...r,[n,o]];return m`<table class="bars outcome" data-testid="output">
    <caption class="hidden">The most likely pieces</caption>
    <colgroup><col class="name"></colgroup>
    <tbody>${i.map(([s,a])=>m`<tr class=${s===n?"target-row":""} data-piece=${s}>
        <th scope="row">${M(R(s))}${s===n?m` <span class="soft small">output</span>`:""}</th>
        <td data-testid="probability">${en(0,100*Math.exp(a),Math.exp(a))}</td></tr>`)}</tbody></table>`}function en(e,t,n){let[r,o]=e<t?[e,t]:[t,e];return m`<span class="bar"><i .style=${`margin-inline-start:${r}%;width:${o-r}%`}></i></span>${y(n)}`}var li=S`
  .outcome { max-width: 44rem; }
  .tall { max-height: 34rem; }
  .bars { border-collapse: collapse; width: 100%; table-layout: fixed; font-size: 0.875rem; }
  .bars thead th {
    text-align: start; font-weight: 500; color: var(--soft); padding: 0 0.5rem 0.25rem;
    position: sticky; top: 0; background: var(--paper); z-index: 1;
  }
  .bars thead .current {
    color: var(--accent); font-weight: 650; box-shadow: inset 0 -2px var(--accent);
  }
  .bars td { padding: 0.1rem 0.5rem; vertical-align: middle; }
  .bars tbody th {
    text-align: start; font-weight: 400; padding: 0.1rem 0.25rem 0.1rem 0; overflow: hidden;
    text-overflow: ellipsis; white-space: nowrap;
  }
  .bars .name { width: 8.5rem; }
  .bars th button {
    border-color: transparent; padding: 0 0.35rem; min-height: 1.5rem; width: 100%;
    text-align: start; background: none; overflow: hidden; text-overflow: ellipsis;
    white-space: nowrap; display: block;
  }
  .bars th button:focus-visible { outline-offset: -2px; }
  .bars tr.here button { border-color: var(--accent); background: var(--accent-soft); }
  .bars button[data-special] { color: var(--soft); }
  .bars td .number {
    font-size: 0.8125rem; float: inline-end; width: 3.4rem; text-align: end; line-height: 1.1rem;
  }
  .bar {
    display: inline-block; width: calc(100% - 3.6rem); height: 0.7rem; vertical-align: middle;
  }
  .bar i {
    display: block; height: 100%; min-width: 1px; background: var(--bar); border-radius: 2px;
    transition: width 0.35s ease, margin 0.35s ease;
  }
  .target-row .bar i { background: var(--mark); }
  @media (forced-colors: active) { .bar i { background: CanvasText; forced-color-adjust: none; } }
  @media (max-width: 36rem) { .bars .name { width: 6rem; } .bars td { padding-inline: 0.2rem; } }
`;function vl(e){var t=0,n=e.children,r=n&&n.length;if(!r)t=1;else for(;--r>=0;)t+=n[r].value;e.value=t}function ci(){return this.eachAfter(vl)}function ui(e,t){let n=-1;for(let r of this)e.call(t,r,++n,this);return this}function di(e,t){for(var n=this,r=[n],o,i,s=-1;n=r.pop();)if(e.call(t,n,++s,this),o=n.children)for(i=o.length-1;i>=0;--i)r.push(o[i]);return this}function mi(e,t){for(var n=this,r=[n],o=[],i,s,a,c=-1;n=r.pop();)if(o.push(n),i=n.children)for(s=0,a=i.length;s<a;++s)r.push(i[s]);for(;n=o.pop();)e.call(t,n,++c,this);return this}function fi(e,t){let n=-1;for(let r of this)if(e.call(t,r,++n,this))return r}function pi(e){return this.eachAfter(function(t){for(var n=+e(t.data)||0,r=t.children,o=r&&r.length;--o>=0;)n+=r[o].value;t.value=n})}function hi(e){return this.eachBefore(function(t){t.children&&t.children.sort(e)})}function gi(e){for(var t=this,n=Al(t,e),r=[t];t!==n;)t=t.parent,r.push(t);for(var o=r.length;e!==n;)r.splice(o,0,e),e=e.parent;return r}function Al(e,t){if(e===t)return e;var n=e.ancestors(),r=t.ancestors(),o=null;for(e=n.pop(),t=r.pop();e===t;)o=e,e=n.pop(),t=r.pop();return o}function bi(){for(var e=this,t=[e];e=e.parent;)t.push(e);return t}function xi(){return Array.from(this)}function yi(){var e=[];return this.eachBefore(function(t){t.children||e.push(t)}),e}function wi(){var e=this,t=[];return e.each(function(n){n!==e&&t.push({source:n.parent,target:n})}),t}function*$i(){var e=this,t,n=[e],r,o,i;do for(t=n.reverse(),n=[];e=t.pop();)if(yield e,r=e.children)for(o=0,i=r.length;o<i;++o)n.push(r[o]);while(n.length)}function je(e,t){e instanceof Map?(e=[void 0,e],t===void 0&&(t=Ml)):t===void 0&&(t=Sl);for(var n=new dt(e),r,o=[n],i,s,a,c;r=o.pop();)if((s=t(r.data))&&(c=(s=Array.from(s)).length))for(r.children=s,a=c-1;a>=0;--a)o.push(i=s[a]=new dt(s[a])),i.parent=r,i.depth=r.depth+1;return n.eachBefore(El)}function kl(){return je(this).eachBefore(Tl)}function Sl(e){return e.children}function Ml(e){return Array.isArray(e)?e[1]:null}function Tl(e){e.data.value!==void 0&&(e.value=e.data.value),e.data=e.data.data}function El(e){var t=0;do e.height=t;while((e=e.parent)&&e.height<++t)}function dt(e){this.data=e,this.depth=this.height=0,this.parent=null}dt.prototype=je.prototype={constructor:dt,count:ci,each:ui,eachAfter:mi,eachBefore:di,find:fi,sum:pi,sort:hi,path:gi,ancestors:bi,descendants:xi,leaves:yi,links:wi,copy:kl,[Symbol.iterator]:$i};function le(e){return m`<p class="placeholder" data-testid="placeholder">${e}</p>`}function Q(e){let t=e.summary===null?0:e.numbers(e.summary).length;return le(m`<strong>${e.model.name}</strong> has no attention${t?m`. The decoder gets the source only as one vector of ${t} numbers, before its first
          word`:""}. The beam search and intervention views work if the record has their data.`)}var _l=112,Nl=76,Rl=600,Cl=20,Xn=34,Pl=24,Ge=-1;function vi(e){let{record:t,selection:n,change:r}=e,{beam:o}=t;if(!o)return le(m`This record has no beam search: the target was ${t.created.search==="given"?"given by the user":`found by ${t.created.search??"another search"}`}.`);let i=e.width<Rl?Nl:_l,s=Il(o,n.pruned,i+Cl),a=o.status.filter(u=>u==="pruned").length,c=o.best.at(-1)??Ge,l=s.some(({data:u})=>u.node===n.node)?n.node??c:c;return m`<div class="controls">
      <label class="inline"><input type="checkbox" data-testid="pruned" .checked=${n.pruned}
        @change=${()=>r({pruned:!n.pruned})}> show ${a} pruned candidates</label>
      <p class="note">Beam size ${o.beam_size}. Score = log-probability / length<sup>α</sup> with the length
        penalty α = ${o.length_penalty}, which keeps the search from preferring short outputs.</p>
    </div>
    ${zl(e,o,l)} ${Hl(e,o,s,l,i)}
    <p class="legend small soft"><span><i class="node best key-node"></i> best path</span>
      <span><i class="node key-node"></i> kept</span>
      <span><i class="node finished key-node"></i> finished</span>
      ${n.pruned?m`<span><i class="node pruned key-node"></i> pruned</span>`:m`<span>+3: number of pruned candidates</span>`}</p>`}function Il(e,t,n){let r=[Ge,...e.parents.keys()].map(l=>({node:l,children:[],hidden:0}));e.parents.forEach((l,u)=>{let d=r[l+1];e.status[u]==="pruned"&&!t?d.hidden++:d.children.push(r[u+1])});let o=new Set(e.best),i=({node:l})=>o.has(l)?Number.POSITIVE_INFINITY:e.totals[l];for(let{children:l}of r)l.sort((u,d)=>i(u)<i(d)?1:-1);let s=je(r[0]),a=0,c=l=>{let u=a;l.children?.forEach(c),l.children||a++,Object.assign(l,{x:u*Xn,y:l.depth*n})};return c(s),s.descendants()}function Hl(e,t,n,r,o){let i=Math.max(...n.map(p=>p.x))+Xn,s=Math.max(...n.map(p=>p.y))+o+24,a=new Set([Ge,...t.best]),c=({data:p})=>a.has(p.node),l=p=>p.x+Xn/2,u=n.filter(p=>p.parent).sort((p,g)=>Number(c(p))-Number(c(g))).map(p=>{let g=p.parent,[h,x,w,v]=[g.y+o,l(g),p.y,l(p)];return Pr`<path class=${c(p)?"best":""} d=${`M${h} ${x}C${h+12} ${x} ${w-12} ${v} ${w} ${v}`} />`}),d=(p,g=!0)=>e.change({node:p},g?`[data-node="${p}"]`:void 0),f=p=>{let g=Ll(p.key,n,r);g!==void 0&&(p.preventDefault(),d(g))};return m`<div class="scroll beam" data-testid="beam">
    <div .style=${`position:relative;width:${s}px;height:${i}px`}>
      <svg aria-hidden="true" width=${s} height=${i}>${u}</svg>
      <div role="tree" aria-label="beam search hypotheses" @keydown=${f}>
        ${n.map(p=>{let{node:g,hidden:h}=p.data,x=g===Ge,w=x?"kept":t.status[g],v=R(x?"<s>":t.pieces[g]),C=x?1:Math.exp(t.logps[g]);return m`<div role="treeitem" class="node ${w} ${c(p)?"best":""}" data-testid="node"
            data-node=${g} data-status=${w} data-best=${c(p)} tabindex=${g===r?0:-1}
            aria-selected=${g===r} aria-level=${p.depth+1} title=${v}
            @click=${()=>d(g)} .style=${`left:${p.y}px;top:${l(p)-Pl/2}px;width:${o}px`}>
            <bdi dir="auto">${v}</bdi>${x?b:m`<small>${y(C)}</small>`}
            ${h?m`<span class="pruned-count">+${h}<span class="hidden"> pruned</span></span>`:b}
            <span class="hidden">${x?"":w}${c(p)?", on the best path":""}</span></div>`})}
      </div>
    </div>
  </div>`}function Ll(e,t,n){let r=t.find(({data:a})=>a.node===n);if(!r)return;let o=t.filter(({depth:a})=>a===r.depth).sort((a,c)=>a.x-c.x),i=o.indexOf(r);return{ArrowLeft:r.parent,ArrowRight:r.children?.[0],ArrowUp:o[i-1],ArrowDown:o[i+1],Home:t[0],End:t.reduce((a,c)=>c.depth>a.depth?c:a)}[e]?.data.node}var Ol={kept:"is extended at the next step",pruned:"is pruned: other candidates score higher",finished:"is a finished hypothesis"};function zl(e,t,n){if(n===Ge)return m`<p class="summary" data-testid="summary">The start of the search, before the first piece.</p>`;let r=[];for(let l=n;l!==Ge;l=t.parents[l])r.unshift(l);let i=r.map(l=>t.pieces[l]).filter(l=>l!=="</s>").join("").replaceAll("▁"," ").trim()||"The empty output",s=t.best.indexOf(n),a=t.totals[n],c=()=>e.change({view:"trace",row:s,column:-1,stage:0},"#tab-trace");return m`<div class="detail" data-testid="detail">
    <p class="summary" data-testid="summary">${M(i)} ${Ol[t.status[n]]}.</p>
    <p class="note">log-probability of the last piece ${y(t.logps[n])}; total ${y(a)};
      score at length ${r.length}: ${y(a/r.length**t.length_penalty)}
      ${s>=0?m`<button data-testid="to-trace" @click=${c}>
              Show this step</button>`:b}</p>
  </div>`}var Ai=S`
  .beam { max-height: 75vh; border: 1px solid var(--line); border-radius: 8px; padding: 0.75rem; }
  .beam svg { position: absolute; inset: 0; }
  .beam path { fill: none; stroke: var(--line); stroke-width: 1.5; }
  .beam path.best { stroke: var(--accent); stroke-width: 3; }
  .node {
    position: absolute; height: 24px; display: flex; gap: 0.3rem; align-items: center;
    padding: 0 0.4rem;
    border: 1px solid var(--line); border-radius: 5px; background: var(--paper);
    font-size: 0.8125rem; cursor: pointer;
  }
  .node bdi {
    overflow: hidden; text-overflow: ellipsis; white-space: nowrap; flex: 1; min-width: 0;
  }
  .node .number { font-weight: 400; }
  .node small { color: var(--soft); font-size: 0.6875rem; }
  .node.best { border-color: var(--accent); background: var(--accent-soft); }
  .node.best small { color: var(--ink); }
  .node.finished { border-radius: 12px; border-width: 2px; border-color: var(--soft); }
  .node.finished.best { border-color: var(--accent); }
  .node.pruned { border-style: dashed; color: var(--soft); }
  .node[aria-selected="true"] { box-shadow: 0 0 0 2px var(--accent); }
  .pruned-count {
    position: absolute; right: 2px; top: -11px; font-size: 10px; line-height: 10px;
    color: var(--soft);
  }
  .key-node { position: static; width: 1.5rem; height: 0.9rem; cursor: default; }
  .detail { display: grid; gap: 0.25rem; }
`;function ki(e){for(var t=e.length/6|0,n=new Array(t),r=0;r<t;)n[r]="#"+e.slice(r*6,++r*6);return n}var Si=e=>Io(e[e.length-1]);var Mi=new Array(3).concat("998ec3f7f7f7f1a340","5e3c99b2abd2fdb863e66101","5e3c99b2abd2f7f7f7fdb863e66101","542788998ec3d8daebfee0b6f1a340b35806","542788998ec3d8daebf7f7f7fee0b6f1a340b35806","5427888073acb2abd2d8daebfee0b6fdb863e08214b35806","5427888073acb2abd2d8daebf7f7f7fee0b6fdb863e08214b35806","2d004b5427888073acb2abd2d8daebfee0b6fdb863e08214b358067f3b08","2d004b5427888073acb2abd2d8daebf7f7f7fee0b6fdb863e08214b358067f3b08").map(ki),Jn=Si(Mi);function Qn(e){return e=Math.max(0,Math.min(1,e)),"rgb("+Math.max(0,Math.min(255,Math.round(-4.54-e*(35.34-e*(2381.73-e*(6402.7-e*(7024.72-e*2710.57)))))))+", "+Math.max(0,Math.min(255,Math.round(32.49+e*(170.73+e*(52.82-e*(131.46-e*(176.58-e*67.37)))))))+", "+Math.max(0,Math.min(255,Math.round(81.24+e*(442.36-e*(2482.43-e*(6167.24-e*(6614.94-e*2475.67)))))))+")"}var W=at(Qn).clamp(!0),Ti=matchMedia("(prefers-color-scheme: dark)"),Vl=[G().domain([0,1]).range(["#ffffff","#00306f"]).clamp(!0),G().domain([0,1]).range(["#14181e","#f2dc4a"]).clamp(!0)];function Zn(e){return Vl[Ti.matches?1:0](e)}function We(e){return Ti.matches?G().domain([-(e||1),0,e||1]).range(["#f5a54a","#232a33","#b8a1f5"]).clamp(!0):lt(t=>Jn(1-t)).domain([-(e||1),0,e||1]).clamp(!0)}function mt(e){return Ul(er(e))>.179?"#000000":"#ffffff"}function Ee(e){if(!(e>=.005))return"";let t=Zn(e);return`background:${t};color:${e<.3?"var(--ink)":mt(t)}`}function er(e){let t=/^#(..)(..)(..)$/.exec(e);return t?t.slice(1).map(n=>Number.parseInt(n,16)):(e.match(/[\d.]+/g)??[]).slice(0,3).map(Number)}function Ul(e){let[t,n,r]=e.map(o=>{let i=o/255;return i<=.04045?i/12.92:((i+.055)/1.055)**2.4});return .2126*t+.7152*n+.0722*r}var{I:Af}=Lr;var Ei=e=>e.strings===void 0;var _i={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},tr=e=>(...t)=>({_$litDirective$:e,values:t}),nn=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,n,r){this._$Ct=t,this._$AM=n,this._$Ci=r}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var ft=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let r of n)r._$AO?.(t,!1),ft(r,t);return!0},rn=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(e),e=t}while(n?.size===0)},Ni=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),ql(t)}};function Bl(e){this._$AN!==void 0?(rn(this),this._$AM=e,Ni(this)):this._$AM=e}function Fl(e,t=!1,n=0){let r=this._$AH,o=this._$AN;if(o!==void 0&&o.size!==0)if(t)if(Array.isArray(r))for(let i=n;i<r.length;i++)ft(r[i],!1),rn(r[i]);else r!=null&&(ft(r,!1),rn(r));else ft(this,e)}var ql=e=>{e.type==_i.CHILD&&(e._$AP??=Fl,e._$AQ??=Bl)},on=class extends nn{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,n,r){super._$AT(t,n,r),Ni(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),n&&(ft(this,t),rn(this))}setValue(t){if(Ei(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var nr=new WeakMap,Ri=tr(class extends on{render(e){return b}update(e,[t]){let n=t!==this.G;return n&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=e.options?.host,this.rt(this.ct=e.element)),b}rt(e){if(this.G!==void 0)if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=nr.get(t);n===void 0&&(n=new WeakMap,nr.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.G.value=e}get lt(){return typeof this.G=="function"?nr.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});var pt=128;function ht(e){return Ri(t=>{t&&e(t)})}function ce(e,t,n,r=1){return ht(o=>rr(o,e,t,n,r))}function rr(e,t,n,r,o){let i=n.length/t;e.width!==t&&(e.width=t),e.height!==i&&(e.height=i);let s=e.getContext("2d",{willReadFrequently:!0});if(!s||!t||!i)return;let a=Dl(r,o),c=s.createImageData(t,i),l=new Uint32Array(c.data.buffer);for(let u=0;u<n.length;u++){if(Number.isNaN(n[u]))continue;let d=Math.max(-1,Math.min(1,n[u]/o));l[u]=a[Math.round(d*pt)+pt]}s.putImageData(c,0,0)}var Ci=new WeakMap;function Dl(e,t){let n=Ci.get(e);if(n)return n;let r=Uint32Array.from({length:2*pt+1},(o,i)=>{let[s,a,c]=er(e((i-pt)/pt*t));return 255<<24|c<<16|a<<8|s});return Ci.set(e,r),r}function z(e){let{axis:t,side:n,current:r}=e,o=u=>`[data-side="${n}"][data-unit="${u}"]`,i=u=>{let d=u.target.dataset?.unit;d!==void 0&&!(e.selected&&Number(d)===r)&&e.select?.(Number(d))},s=u=>{let d=Gl(u.key,r,t.units.length-1,sn(t)==="rtl");d!==null&&(u.preventDefault(),e.select?.(d,o(d)))},a=u=>m`<span class="word" data-testid="word" data-side=${n}
    data-unit=${u} data-value="" ?data-special=${t.units[u].special}
    .style=${e.style(u)}>${t.units[u].label}</span>`,c=u=>m`<span role="button" class="word" data-testid="word"
    data-side=${n} data-unit=${u} data-value=${e.value(u)??""}
    ?data-special=${t.units[u].special} tabindex=${u===Math.max(0,r)?0:-1}
    aria-pressed=${e.selected&&u===r} aria-label=${e.label(u)}
    dir=${e.pieces?"auto":b} .style=${e.style(u)}>${t.units[u].label}</span>`,l=e.select?c:a;return m`<div class="sentence">
    <p class="small soft" aria-hidden="true">${e.name}</p>
    <p class="text ${e.pieces?"pieces":""}" role="group" aria-label=${e.name} data-side=${n}
      dir=${sn(t)} @pointerover=${e.hover?i:b} @focusin=${i} @keydown=${s}
      >${e.pieces?t.units.map((u,d)=>l(d)):jl(t,l)}</p>
  </div>`}function jl(e,t){let n=[],r=0;return e.units.forEach(({span:o,special:i},s)=>{i||!o?n.push(s?" ":"",t(s),s?"":" "):(n.push(e.text.slice(r,o[0]).join(""),t(s)),r=o[1])}),n}function Gl(e,t,n,r){if(e==="Home")return 0;if(e==="End")return n;let o={ArrowRight:1,ArrowLeft:-1,ArrowDown:1,ArrowUp:-1}[e];return o===void 0?null:Math.max(0,Math.min(n,t+((e==="ArrowRight"||e==="ArrowLeft")&&r?-o:o)))}function sn(e){let t=e.text.find(n=>/\p{L}/u.test(n))??"";return/[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u.test(t)?"rtl":"ltr"}var Pi=S`
  .sentence { display: grid; gap: 0.35rem; }
  .sentence .text {
    overflow: clip; overflow-clip-margin: 0.4rem; font-size: 1.6rem; line-height: 1.7;
    overflow-wrap: anywhere; white-space: pre-wrap;
  }
  .word {
    border-radius: 4px; padding: 0.08em 0.06em; margin: 0 -0.04em; cursor: default;
    box-decoration-break: clone; -webkit-box-decoration-break: clone; overflow-wrap: anywhere;
  }
  .word[aria-pressed="true"]:not(:focus-visible) {
    outline: 2px solid var(--accent); outline-offset: 1px;
  }
  .word[data-special] { font-size: 0.65em; color: var(--soft); }
  .pieces {
    display: flex; flex-wrap: wrap; gap: 0.15rem 0.5rem; align-items: baseline; white-space: nowrap;
  }
  .pieces .word { margin: 0; padding: 0.08em 0.25em; max-width: 100%; white-space: normal; }
  @media (max-width: 36rem) { .sentence .text { font-size: 1.3rem; } }
`;function ue(e,t){let n=0;for(let o=0;o<e.length;o++)n=Math.max(n,Math.abs(e[o]));let r=`${t}: ${e.length} numbers between ${E(-n)} and ${E(n)}`;return m`<figure class="vector" data-testid="vector" data-values=${Array.from(e).join(" ")}>
    <canvas class="strip" role="img" aria-label=${r}
      ${ce(e.length,e,We(n),n)}></canvas>
    <figcaption class="small soft">${t}: ${e.length} numbers, orange is negative, purple
      positive; largest ±${y(n)}</figcaption>
  </figure>`}function Ii(e){let{records:t,selection:n,change:r}=e,[o]=t;if(o.source?.kind!=="text")return le("The comparison needs a source text, which these records do not have.");let{source:i}=o,s=B("source",i,"words"),a=an(o),c=a?fe(a,n).column:ct(s,n.column);return m`${z({axis:s,side:"columns",name:"source",pieces:!1,hover:!0,current:c,selected:!0,value:()=>null,style:()=>"",label:l=>s.units[l].label,select:(l,u)=>r({by:"column",column:s.units[l].positions[0]??0},u)})}
    <div class="models">${t.map(l=>Wl(l,i,c))}</div>
    ${Xl(t)}`}function an(e){let{attention:t,head:n,shift:r}=F(e),o=H(e,t);return o?.kind==="cross"?Fe(e,o,n,r,"words"):null}function Wl(e,t,n){let r=an(e),o=e.source?.kind==="text"&&e.source.text===t.text;return m`<article data-testid="model-card" data-model=${e.model.name}>
    <h3>${e.model.name}</h3>
    <p class="small soft">${e.model.description}</p>
    ${o?r?Kl(e,r,n):Yl(e):m`<p class="note">This model has another source.</p>`}
  </article>`}function Kl(e,t,n){let r=F(e),o=H(e,r.attention),i=t.columns.units.length,s=Math.min(n,i-1);return m`<p class="target" dir=${sn(t.rows)}>${t.rows.units.map((a,c)=>{let l=t.row(c)[s];return m`<span class="word" data-testid="compared" data-value=${l} ?data-special=${a.special}
      title=${E(l)} .style=${Ee(l)}>${a.label}</span> `})}</p>
  <p data-testid="summary">${Zt(t,s)}.</p>
  <div class="mini" aria-hidden="true">
    <canvas ${ce(i,t.weights,W)}></canvas>
    <i .style=${`left:${100*s/i}%;width:${100/i}%`}></i>
  </div>
  <p class="note">Rows are target words, columns source words.
    ${o?De(e,o,r):b}.</p>`}function Yl(e){let t=e.summary===null?null:e.numbers(e.summary);return m`<p class="target" dir="auto">${e.target.text}</p>
    ${t?ue(t,"source vector"):b}
    <p data-testid="summary">This model has no attention: its decoder gets the source as
      ${t?m`one vector of ${t.length} numbers`:"its initial state"}.</p>`}function Xl(e){let t=e.flatMap((n,r)=>e.slice(r+1).map(o=>[n,o]));for(let[n,r]of t){let[o,i]=[an(n),an(r)];if(!o||!i||n.target.text!==r.target.text||o.weights.length!==i.weights.length)continue;let s=o.weights.map((l,u)=>l-i.weights[u]),a=o.rows.units.length,c=o.columns.units.length;return m`<section class="difference" data-testid="difference"><h3>Difference of weights</h3>
      <p class="note">Both have the same target. Purple: ${n.model.name} has more weight; orange:
        ${r.model.name}.</p>
      <canvas role="img" aria-label=${`difference of weights, ${a} rows, ${c} columns`}
        .style=${`width:${Math.min(560,c*24)}px;height:auto`}
        ${ce(c,s,We(1))}></canvas>
    </section>`}return m`<p class="note">No two models have the same target, so there is no difference of weights.</p>`}var Hi=S`
  .models {
    display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr));
    gap: 1rem;
  }
  article {
    border: 1px solid var(--line); border-radius: 8px; padding: 1rem; display: grid; gap: 0.75rem;
    align-content: start; min-width: 0;
  }
  article h3 { overflow-wrap: anywhere; }
  .target { font-size: 1.2rem; line-height: 1.65; overflow-wrap: anywhere; }
  .mini { position: relative; max-width: 16rem; overflow: clip; overflow-clip-margin: 2px; }
  .mini canvas { width: 100%; height: auto; border-radius: 3px; }
  .mini i { position: absolute; top: 0; bottom: 0; box-shadow: 0 0 0 1px #fff, 0 0 0 2px #000; }
  .difference { display: grid; gap: 0.5rem; justify-items: start; }
`;var ln=6,Li=P`<munder><mo>∑</mo><mi>d</mi></munder>`,Oi=P`<msub><mi>q</mi><mi>d</mi></msub>`,zi=P`<msub><mi>k</mi><mrow><mi>s</mi><mi>d</mi></mrow></msub>`,or=P`<msub><mi>e</mi><mi>s</mi></msub>`,Jl=P`<msub><mi>e</mi><mi>j</mi></msub>`,Ql=P`<msub><mi>α</mi><mi>s</mi></msub>`,Zl=P`<mrow><mo>(</mo><mi>s</mi><mo>−</mo><mi>p</mi><mo>)</mo></mrow>`,ec=P`<mi>D</mi>`,Vi=e=>P`<msup>${e}<mn>2</mn></msup>`;function Ui(e){let t=e?P`${Li}<msub><mi>v</mi><mi>d</mi></msub><mi>tanh</mi><mo>(</mo>${Oi}<mo>+</mo>${zi}<mo>)</mo>`:P`<mi>c</mi>${Li}${Oi}<mo>⁢</mo>${zi}`;return m`<math display="block"><mrow>${or}<mo>=</mo>${t}</mrow></math>`}function Bi(e,t){let n=s=>P`<mrow><mi>exp</mi><mo>(</mo>${s}<mo>/</mo><mi>τ</mi><mo>)</mo></mrow>`,o={hard:P`<mn>1</mn><mtext> at the highest score, </mtext><mn>0</mn><mtext> elsewhere</mtext>`,sparsemax:P`<mi>max</mi><mo>(</mo><mn>0</mn><mo>,</mo>${or}<mo>/</mo><mi>τ</mi><mo>−</mo><mi>θ</mi><mo>)</mo>`,uniform:P`<mfrac><mn>1</mn><mi>n</mi></mfrac>`,softmax:P`<mfrac>${n(or)}<mrow><munder><mo>∑</mo><mi>j</mi></munder>${n(Jl)}</mrow></mfrac>`}[e.name];if(!o)return m`<p class="note">${e.formula} <br><cite>${e.reference}</cite></p>`;let i=t?P`<mo>·</mo><mi>exp</mi><mo>(</mo><mo>−</mo><mn>2</mn>${Vi(Zl)}<mo>/</mo>${Vi(ec)}<mo>)</mo>`:"";return m`<math display="block"><mrow>${Ql}<mo>=</mo>${o}${i}</mrow></math>`}function Fi(e,t){let{detail:n,units:r,scores:o}=e;if(!n?.terms||!o)return m``;let{query:i,keys:s,scale:a,energy:c}=n.terms,l=i.length,u=s.subarray(t*l,(t+1)*l),d=ei(i,u,a,c),f=ae(d.map(Math.abs)),p=f.slice(ln).reduce((x,w)=>x+d[w],0),g=d.reduce((x,w)=>x+w,0),h=c?m`v<sub>d</sub> · tanh(q<sub>d</sub> + k<sub>d</sub>)`:m`c · q<sub>d</sub> · k<sub>d</sub>`;return m`<table class="terms" data-testid="summands" data-source=${t}>
    <caption>The score of ${M(r[t].label)}: ${y(o[t])}${c?"":m`, with c = ${y(a)}`}</caption>
    <thead><tr><th scope="col">dimension d</th><th scope="col">q<sub>d</sub></th><th scope="col">k<sub>d</sub></th>
      ${c?m`<th scope="col">v<sub>d</sub></th>`:""}<th scope="col">${h}</th></tr></thead>
    <tbody>
      ${f.slice(0,ln).map(x=>m`<tr><th scope="row">${x+1}</th><td>${y(i[x])}</td><td>${y(u[x])}</td>
          ${c?m`<td>${y(c[x])}</td>`:""}<td>${y(d[x])}</td></tr>`)}
      ${l>ln?m`<tr><th scope="row" colspan=${c?4:3}>the other ${l-ln} dimensions</th>
              <td data-testid="rest">${y(p)}</td></tr>`:""}
      <tr class="total"><th scope="row" colspan=${c?4:3}>sum</th>
        <td data-testid="score-sum">${y(g)}</td></tr>
    </tbody>
  </table>
  ${o[t]===Number.NEGATIVE_INFINITY?m`<p class="note">The span masks this position, so this sum is not used.</p>`:Math.abs(g-o[t])>.005?m`<p class="note">The model’s score is ${y(o[t])}.</p>`:""}`}var qi=S`
  math {
    font-size: 1.15rem; text-align: start; margin: 0.25rem 0; overflow-x: auto; overflow-y: hidden;
  }
  .terms { border-collapse: collapse; font-size: 0.875rem; max-width: 100%; }
  .terms caption { text-align: start; padding-bottom: 0.3rem; color: var(--ink); }
  .terms th, .terms td {
    text-align: end; padding: 0.12rem 0.5rem; border-top: 1px solid var(--line); font-weight: 400;
  }
  .terms th { color: var(--soft); }
  .terms thead th { border: 0; }
  .terms .total > * { color: var(--ink); font-weight: 650; border-top: 2px solid var(--line); }
`;var ir=128,sr=56,tc=15,nc=44;function Di(e,t){let n=a=>a.flatMap((c,l)=>c.special&&!e.selection.specialTokens?[]:[l]),r=n(t.rows.units),o=n(t.columns.units),i=Math.floor((e.width-ir-sr)/Math.max(1,o.length)),s=Math.max(tc,Math.min(nc,i));return{chart:t,rows:r,columns:o,cell:s,at:(a,c)=>t.row(r[a])[o[c]]}}function cn(e,{chart:t,rows:n,columns:r}){let{row:o,column:i}=fe(t,e.selection);return[Math.max(0,n.indexOf(o)),Math.max(0,r.indexOf(i))]}function ar(e,t,n,r){let{record:o}=e;if(H(o,e.selection.attention)?.kind!=="cross"||o.source?.kind!=="text")return b;let{source:s,target:a}={source:o.source,target:o.target},{chart:c,cell:l}=t,u=(d,f,p)=>{let g=d.flatMap((h,x)=>f[h].positions.some(w=>p.includes(w))?[x]:[]);return[g[0],g.length]};return n.map(([d,f])=>{let[p,g]=u(t.columns,c.columns.units,s.word_pieces[d]),[h,x]=u(t.rows,c.rows.units,a.word_pieces[f]);if(!g||!x)return b;let w=`left:${p*l}px;top:${h*l}px`,v=`width:${g*l}px;height:${x*l}px`;return m`<i class=${r} data-testid=${r} data-link=${`${d}-${f}`}
      .style=${`${w};${v}`}></i>`})}var ji=S`
  .gold { box-shadow: inset 0 0 0 1px #000, inset 0 0 0 3px #ff9d3b, inset 0 0 0 4px #000; }
  .link::after {
    content: ""; position: absolute; top: 3px; right: 3px; width: 6px; height: 6px;
    border-radius: 50%;
    background: #fff; border: 1px solid #000;
  }
  .key {
    position: relative; width: 1.1rem; height: 1.1rem; background: #40516f; border-radius: 2px;
  }
  .key i { position: absolute; inset: 0; }
`;var rc=120,Gi=36,oc=2500;function Wi(e,t){let{chart:n,rows:r,columns:o,cell:i,at:s}=t,[a,c]=cn(e,t),l=r.flatMap(($,A)=>o.map((T,_)=>s(A,_))),u=o.map(($,A)=>r.reduce((T,_,q)=>T+(s(q,A)||0),0)),d=r.length*o.length<=oc,f=($,A,T=!0)=>{let _={row:n.rows.units[r[$]].positions[0]??0,column:n.columns.units[o[A]].positions[0]??0};e.change(_,T?`[data-row="${$}"][data-column="${A}"]`:void 0)},p=$=>{let A=sc($,a,c,t);A&&($.preventDefault(),f(...A))},g=$=>{let A=$.currentTarget.getBoundingClientRect(),T=Math.floor(($.clientX-A.left)/i),_=Math.floor(($.clientY-A.top)/i);_>=0&&T>=0&&_<r.length&&T<o.length&&(_!==a||T!==c)&&f(_,T,$.type==="click")},h=($,A)=>{let T=s($,A),_=i>=Gi&&T>=.005?E(T):"";return m`<span role="gridcell" data-testid="cell" data-row=${$} data-column=${A}
      data-value=${T} aria-colindex=${A+2} tabindex=${$===a&&A===c?0:-1}
      aria-label=${ic(t,$,A)} .style=${_?`color:${mt(W(T))}`:""}
      >${_}</span>`},x=o.map(($,A)=>{let{label:T,special:_}=n.columns.units[$];return m`<span role="columnheader" class="top ${A===c?"here":""}"
      aria-colindex=${A+2} title=${T} ?data-special=${_}><bdi dir="auto">${T}</bdi></span>`}),w=r.map(($,A)=>{let{label:T,special:_}=n.rows.units[$],q=o.reduce((Ke,k,ee)=>Ke+s(A,ee),0);return m`<div role="row" class="line" aria-rowindex=${A+2}>
      <span role="rowheader" class="side ${A===a?"here":""}" aria-colindex="1" title=${T}
        ?data-special=${_}><bdi dir="auto">${T}</bdi></span>
      ${d||A===a?o.map((Ke,k)=>h(A,k)):m`<span role="presentation" .style=${`grid-column:span ${o.length}`}></span>`}
      <span role="gridcell" class="sum" data-testid="row-sum" data-value=${q}
        aria-colindex=${o.length+2} aria-label=${`sum ${E(q)}`}>${E(q)}</span>
    </div>`}),v=Math.max(...o.map($=>n.columns.units[$].label.length),4),K=`${`--head:${Math.min(rc,20+9*v)}px;--cell:${i}px;--label:${ir}px;--sum:${sr}px`};--columns:${o.length}`;return m`<div class="scroll matrix ${d?"":"boxed"}" .style=${K} data-testid="matrix">
    <div class="sheet">
      <div class="cells" aria-hidden="true" @pointermove=${g} @click=${g}>
        <canvas data-testid="cells" ${ce(o.length,l,W)}></canvas>
        ${ar(e,t,e.record.links,"link")}
        ${ar(e,t,e.record.gold??[],"gold")}
        <i class="cursor" .style=${`left:${c*i}px;top:${a*i}px`}></i>
      </div>
      <div role="grid" aria-label="attention weights"
        aria-rowcount=${r.length+2} aria-colcount=${o.length+2} @keydown=${p}>
        <div role="row" class="line heads" aria-rowindex="1">
          <span role="columnheader" class="corner" aria-colindex="1">
            <span>${n.rows.name} ↓</span> <span>${n.columns.name} →</span></span>
          ${x}
          <span role="columnheader" class="sum" aria-colindex=${o.length+2}>sum</span>
        </div>
        ${w}
        <div role="row" class="line foot" aria-rowindex=${r.length+2}>
          <span role="rowheader" class="side" aria-colindex="1" 
            title="sum of each column">coverage</span>
          ${u.map(($,A)=>m`<span role="gridcell" data-testid="coverage" data-value=${$}
              aria-colindex=${A+2} aria-label=${`coverage ${E($)}`} title=${E($)}
              ><i .style=${`height:${1.5*$/Math.max(...u,1)}rem`}></i
              ><b>${i>=Gi?E($):""}</b></span>`)}
          <span role="gridcell" aria-label="no sum"></span>
        </div>
      </div>
    </div>
  </div>`}function ic({chart:e,rows:t,columns:n,at:r},o,i){let s=r(o,i),a=n.filter((d,f)=>r(o,f)>s).length,c=a?`number ${a+1}`:"highest",[l,u]=[e.rows,e.columns];return`${l.name} ${l.units[t[o]].label} ← ${u.name} ${u.units[n[i]].label} ${E(s)}, ${Number.isNaN(s)?"no weights":c} of ${n.length}`}function sc(e,t,n,r){let{rows:o,columns:i,at:s}=r,c={ArrowRight:[t,n+1],ArrowLeft:[t,n-1],ArrowDown:[t+1,n],ArrowUp:[t-1,n],Home:[e.ctrlKey?0:t,0],End:[e.ctrlKey?o.length-1:t,i.length-1],PageUp:[t,N(i.map((u,d)=>s(t,d)))],PageDown:[N(o.map((u,d)=>s(d,n))),n]}[e.key];return c?.[0]>=0&&c[1]>=0&&c[0]<o.length&&c[1]<i.length?c:null}var Ki=S`
  .boxed { max-height: min(80vh, 60rem); }
  .sheet { position: relative; width: max-content; padding-bottom: 2px; }
  .line {
    display: grid;
    grid-template-columns: var(--label) repeat(var(--columns), var(--cell)) var(--sum);
    height: var(--cell);
  }
  .line > * { min-width: 0; overflow: hidden; position: relative; }
  .line > [data-row] {
    display: grid; place-items: center; font-size: 0.72rem; line-height: 1; pointer-events: none;
    scroll-margin: var(--head) var(--sum) 0 var(--label);
  }
  .line > [data-row]:focus-visible { outline-offset: -2px; outline-color: #fff; }
  .heads { height: var(--head); position: sticky; top: 0; z-index: 3; background: var(--paper); }
  .top {
    writing-mode: vertical-rl; text-orientation: sideways; transform: rotate(180deg);
    display: flex; align-items: center; padding: 0.35rem 0;
    font-size: min(0.875rem, calc(var(--cell) * 0.75));
    line-height: 1;
  }
  .top bdi, .side bdi {
    line-height: 1.3; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
    max-height: 100%;
  }
  .side {
    display: flex; align-items: center; justify-content: end; padding-inline: 0.25rem 0.6rem;
    position: sticky !important;
    left: 0; z-index: 2; background: var(--paper);
    font-size: min(0.875rem, calc(var(--cell) * 0.75)); line-height: 1.2;
  }
  .line .here { font-weight: 700; color: var(--accent); }
  .line [data-special] { color: var(--soft); font-size: min(0.75rem, calc(var(--cell) * 0.7)); }
  .corner {
    display: flex; flex-direction: column; justify-content: end; align-items: end;
    padding: 0.35rem 0.6rem;
    font-size: 0.75rem; color: var(--soft); position: sticky !important; left: 0; z-index: 4;
    background: var(--paper);
  }
  .sum {
    display: flex; align-items: end; padding-inline-start: 0.6rem;
    font-size: min(0.75rem, calc(var(--cell) * 0.8)); color: var(--soft); line-height: 1.2;
  }
  .line:not(.heads) .sum { align-items: center; }
  .foot { height: 3.2rem; padding-top: 2px; }
  .foot .side { font-size: 0.75rem; color: var(--soft); align-items: start; line-height: 1.5rem; }
  .foot [role="gridcell"] {
    display: flex; flex-direction: column; align-items: center; justify-content: space-between;
  }
  .foot i { width: 70%; max-height: 1.5rem; background: var(--line); border-radius: 0 0 2px 2px; }
  .foot b { font-size: 0.72rem; font-weight: 500; color: var(--soft); line-height: 1.4; }
  .cells {
    position: absolute; left: var(--label); top: var(--head); z-index: 0; overflow: hidden;
    width: calc(var(--columns) * var(--cell)); border-radius: 3px;
  }
  .cells canvas { width: 100%; height: auto; }
  .cells::after {
    content: ""; position: absolute; inset: 0; pointer-events: none; opacity: 0.12;
    background: linear-gradient(#fff 1px, transparent 1px) 0 -1px / 100% var(--cell),
      linear-gradient(90deg, #fff 1px, transparent 1px) -1px 0 / var(--cell) 100%;
  }
  .cells i { position: absolute; pointer-events: none; }
  .cells .cursor {
    width: var(--cell); height: var(--cell); box-shadow: inset 0 0 0 2px #fff, inset 0 0 0 3px #000;
  }
`;var Yi="At output: the weights of the step that predicts the word. At next input: the weights of the next step, whose input is the word.";function _e(e,t=b){let{record:n,selection:r,change:o}=e,i=H(n,r.attention),s=a=>o({...a,userSelected:!0});return m`<div class="controls">
    <label>attention layer
      <select data-testid="attention" @change=${a=>s(lc(e,lr(a)))}>
        ${Object.entries(qe).map(([a,c])=>{let l=n.attentions.filter(u=>u.kind===a);return l.length?m`<optgroup label=${c}>
                ${l.map(u=>m`<option value=${u.name} ?selected=${u.name===r.attention}>
                    ${c}, layer ${u.layer+1}</option>`)}</optgroup>`:b})}
      </select>
    </label>
    <label>head
      <select data-testid="head" @change=${a=>s({head:cc(lr(a))})}>
        ${un(i).map(a=>m`<option value=${a} ?selected=${a===r.head}>
            ${typeof a=="number"?a+1:a}</option>`)}
      </select>
    </label>
    ${i?.kind==="cross"?m`<label title=${Yi}>alignment step
            <select data-testid="shift"
              @change=${a=>s({shift:Number(lr(a))})}>
              ${Yn.map((a,c)=>m`<option value=${c} ?selected=${c===r.shift}>
                  ${a}</option>`)}
            </select>
          </label>`:b}
    ${ac(e)} ${t}
    ${r.userSelected?m`<button data-testid="reset" @click=${()=>o(F(n),'[data-testid="attention"]')}>
            Back to the default</button>`:b}
  </div>`}function ac({selection:e,change:t}){let n=r=>m`<button data-testid=${r}
    aria-pressed=${e.units===r} @click=${()=>t({units:r})}>${r}</button>`;return m`<div class="field" role="group" aria-label="words or pieces">
    <span aria-hidden="true">units</span>
    <span class="pair">${n("words")}${n("pieces")}</span>
  </div>`}function pe({record:e,selection:t}){let n=H(e,t.attention);if(!n)return m``;let r=si(e,t);return m`<p class="note" data-testid="caption">
    <strong>${De(e,n,t)}</strong>${r?m`; ${r}`:b}.
    ${n.kind==="cross"?Yi:b} ${ii}
  </p>`}function lc({record:e,selection:t},n){let r=un(H(e,n));return{attention:n,head:r.includes(t.head)?t.head:r[0]}}function un(e){let t=[...Array(e?.heads??0).keys()];return t.length>1?[...t,"mean","max"]:t}function cc(e){return e==="mean"||e==="max"?e:Number(e)}function lr(e){return e.target.value}var uc={id:"entropy",title:"entropy",explain:"in bits; 0 if every word attends to one position only",ascending:!0,of:(e,t,n)=>Ji(e,t,n,r=>ut(r))},dc={id:"diagonality",title:"diagonality",explain:"1 if every word attends to the same relative position in the other text",ascending:!1,of:(e,t,n)=>Ji(e,t,n,(r,o)=>{let i=0;for(let s=0;s<r.length;s++)i+=r[s]*Math.abs(s/Math.max(1,r.length-1)-o);return 1-i})},mc={id:"agreement",title:"agreement with the alignment head",explain:"F1 of its links with those of the alignment head; 1 if they are the same",ascending:!1,of:(e,t,n,r)=>Qi(e,t,n,r,e.links)},fc={id:"error",title:"alignment error (AER)",explain:"against the gold links; 0 if they are the same",ascending:!0,of:(e,t,n,r)=>{let o=Qi(e,t,n,r,e.gold??[]);return o===void 0?void 0:1-o}};function Xi(e){return[uc,dc,...e.links.length?[mc]:[],...e.gold?[fc]:[]]}function Ji(e,t,n,r){let o=se(e.numbers(t.weights),t.heads,n),i=cr(e,t),s=o.length/i,a=0;for(let c=0;c<s;c++)a+=r(o.subarray(c*i,(c+1)*i),c/Math.max(1,s-1));return a/s}function cr(e,t){return e.numbers(t.norms).length/t.heads}function Qi(e,t,n,r,o){if(t.kind!=="cross"||e.source?.kind!=="text")return;let i=Fe(e,t,n,r,"words"),s=new Set;return i.rows.units.forEach((a,c)=>{let l=N(i.row(c));!a.special&&i.columns.units[l]&&!i.columns.units[l].special&&s.add(`${l}-${c}`)}),ni(s,new Set(o.map(([a,c])=>`${a}-${c}`)))}function es(e){let{record:t,selection:n,change:r}=e;if(!t.attentions.length)return Q(t);let o=Xi(t),i=o.find(({id:s})=>s===n.sort);return m`<div class="controls">
      <label>sort by <select data-testid="sort"
        @change=${s=>r({sort:s.target.value})}>
        <option value="layer" ?selected=${!i}>layer and head</option>
        ${o.map(s=>m`<option value=${s.id} ?selected=${s===i}>${s.title}</option>`)}
      </select></label>
      ${i?m`<p class="note">${i.title}, ${i.explain}</p>`:b}
    </div>
    ${Object.keys(qe).map(s=>pc(e,s,i))}
    <div class="controls">
      ${[t.source?.kind==="image"?["image","Show on the image"]:["text","Show in the text"],["matrix","Show as a matrix"],["trace","Show step by step"]].map(([s,a])=>m`<button @click=${()=>r({view:s},`#tab-${s}`)}>${a}</button>`)}
    </div>
    ${pe(e)}`}function pc(e,t,n){let{record:r,selection:o}=e,i=r.attentions.filter(u=>u.kind===t),s=qe[t];if(!i.length)return b;let a=u=>un(u).map(d=>({attention:u,head:d,value:n?.of(r,u,d,o.shift)})),c=(u,d)=>m`<div class="tiles">${d}${u.map(f=>hc(e,f,n))}</div>`,l=(u,d)=>((u.value??Number.POSITIVE_INFINITY)-(d.value??Number.POSITIVE_INFINITY))*(n?.ascending?1:-1);return m`<section class="kind" aria-label=${s}><h3>${s}</h3>
    ${n?c(i.flatMap(a).sort(l),b):i.map(u=>c(a(u),m`<span class="layer small soft">layer ${u.layer+1}</span>`))}
  </section>`}function hc(e,{attention:t,head:n,value:r},o){let{record:i,selection:s,change:a}=e,c=typeof n=="number"?`${n+1}`:n,l=o?m`<span class="hidden">layer and head </span>${t.layer+1} · ${c}`:m`<span class="hidden">layer ${t.layer+1}, </span>${typeof n=="number"?"head ":""}${c}`;return m`<button class="tile" data-testid="tile" data-attention=${t.name} data-head=${n}
    aria-pressed=${s.attention===t.name&&s.head===n}
    @click=${()=>a({attention:t.name,head:n,userSelected:!0})}>
    <canvas ${ht(u=>gc(u,i,t,n))}></canvas>
    <span class="small">${l}</span>
    ${r===void 0?b:m`<span class="small">${y(r)}</span>`}
  </button>`}var Zi=new WeakMap;function gc(e,t,n,r){let o=`${t.model.sha256} ${t.target.text} ${n.name} ${r}`;if(Zi.get(e)===o)return;Zi.set(e,o);let i=se(t.numbers(n.weights),n.heads,r);rr(e,cr(t,n),i,W,1)}var ts=S`
  .kind { display: grid; gap: 0.75rem; }
  .tiles { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; }
  .layer { width: 4.5rem; }
  .tile {
    display: grid; gap: 0.15rem; padding: 0.4rem; justify-items: center; border-color: transparent;
  }
  .tile canvas { width: 5rem; height: 5rem; border-radius: 3px; }
  .tile[aria-pressed="true"] { font-weight: 650; }
  @media (max-width: 36rem) { .layer { width: 100%; } .tile canvas { width: 4rem; height: 4rem; } }
`;var bc=.05,xc=.78;function rs(e){let{record:t,selection:n,change:r}=e,o=t.source,i=Be(e);if(!i)return Q(t);if(H(t,n.attention)?.kind!=="cross")return m`${_e(e)} ${le("Select a cross-attention layer to see weights on the image.")}`;let{row:s}=fe(i,n),a=(l,u)=>r({by:"row",row:i.rows.units[l].positions[0]??0,column:-1},u),c=m`<label class="inline"><input type="checkbox" data-testid="grid" .checked=${n.grid}
    @change=${()=>r({grid:!n.grid})}> grid of weights</label>`;return m`${_e(e,c)}
    <div class="captioned">
      ${ns(o,i.row(s),n.grid)}
      <div class="beside">
        ${z({axis:i.rows,side:"rows",name:"target",pieces:n.units==="pieces",hover:!0,current:s,selected:!0,value:()=>null,style:()=>"",label:l=>i.rows.units[l].label,select:a})}
        ${wc(i,s)} ${$c(i)} ${pe(e)}
      </div>
    </div>
    <div class="film" role="group" aria-label="all words">
      ${i.rows.units.map((l,u)=>m`<button class="frame" data-testid="frame" aria-pressed=${u===s} @click=${()=>a(u)}>
          ${ns(o,i.row(u),!1)}<span><bdi dir="auto">${l.label}</bdi></span>
          <span class="small soft">${y(ut(i.row(u)))} bits</span></button>`)}
    </div>`}function ns(e,t,n){let r=t[N(t)],{rows:o,columns:i}=e,s=`aspect-ratio:${e.width}/${e.height}`,a=e.image.startsWith("data:image/")?e.image:"";return m`<figure class="lit" .style=${s}><img src=${a} alt="source image">
    <canvas aria-hidden="true" ${ht(c=>yc(c,i,t,r))}></canvas>
    ${n?m`<div class="regions" .style=${`grid-template:repeat(${o},1fr)/repeat(${i},1fr)`}>
            ${Array.from(t,c=>m`<span data-testid="region" data-value=${c}>${E(c)}</span>`)}</div>`:b}</figure>`}function yc(e,t,n,r){e.width=t,e.height=n.length/t;let o=e.getContext("2d");if(!o)return;let i=o.createImageData(e.width,e.height);n.forEach((s,a)=>{i.data[4*a+3]=255*xc*(1-s/(r||1))}),o.putImageData(i,0,0)}function wc(e,t){let n=e.row(t),r=N(n);return m`<p class="summary" data-testid="summary">${M(e.rows.units[t].label)} attends most to
    ${e.columns.units[r].label}, ${y(n[r])} in ${n.length} regions; entropy
    ${y(ut(n))} of ${y(Math.log2(n.length))} bits.</p>`}function $c(e){let n=e.rows.units.slice(1).map((o,i)=>ti(e.row(i),e.row(i+1))).filter(o=>!Number.isNaN(o));if(!n.length)return m`<p class="note">There is only one word, so no movement.</p>`;let r=n.reduce((o,i)=>o+i,0)/n.length;return m`<p class="note" data-testid="movement">From word to word ${y(r)} of the attention
    moves.${r<bc?m` <strong>Attention is nearly the same for all words. It does not localize them, which
            often means that training failed.</strong>`:b}</p>`}var os=S`
  .captioned {
    display: grid; grid-template-columns: minmax(0, 24rem) minmax(0, 1fr); gap: 1.5rem;
    align-items: start;
  }
  .beside { display: grid; gap: 1rem; }
  .lit { position: relative; overflow: hidden; border-radius: 4px; width: 100%; }
  .lit img, .lit canvas, .regions { position: absolute; inset: 0; width: 100%; height: 100%; }
  .lit canvas { image-rendering: auto; }
  .regions { display: grid; }
  .regions span {
    display: grid; place-items: center; font-size: 0.625rem; color: #fff;
    text-shadow: 0 0 2px #000, 0 0 2px #000; outline: 1px solid #ffffff55;
  }
  .film { display: flex; flex-wrap: wrap; gap: 0.75rem; }
  .frame {
    display: grid; gap: 0.15rem; width: 7rem; padding: 0.35rem; text-align: start;
    align-content: start;
  }
  .frame bdi { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  @media (max-width: 48rem) { .captioned { grid-template-columns: minmax(0, 1fr); } }
`;var is=[["uniform","uniform attention","All cross-attention weights are equal."],["masked","mask a word","The word is masked in all cross-attention; the encoder still reads it."],["removed","remove a word","The word is removed from the source."]];function ss(e){let{record:t,selection:n}=e,{interventions:r}=t;if(!r?.kinds.length)return le(m`This record has no interventions. They show how the probability of the
      target changes if a source word is masked or removed, and exist for translations.`);let o=Math.min(n.intervention,r.kinds.length-1),i=r.kinds[o];return m`${vc(e,r,o)} ${Ac(t,r,o)}
    ${kc(t,r,o)}
    <p class="note">${is.find(([s])=>s===i)?.[2]} The
      target is unchanged; the model computes its probabilities again. <strong>This shows
      causes:</strong> if a probability falls, the change caused it. Attention weights do not show
      this.</p>`}function vc({record:e,change:t},n,r){let[o,i]=[n.kinds[r],n.words[r]],s=as(e,n),a=h=>n.kinds.flatMap((x,w)=>x===h?[w]:[]),c=h=>a(h).reduce((x,w)=>s[w]>s[x]?w:x),{source:l}=e,u=l?.kind==="text"?B("source",l,"words"):null,d=u&&{...u,units:u.units.filter(h=>!h.special)},f=h=>a(o).find(x=>n.words[x]===h)??r,p=h=>s[f(h)],g=Math.max(...a(o).map(h=>s[h]));return m`<div class="pair wrap" role="group" aria-label="intervention">
      ${is.filter(([h])=>a(h).length).map(([h,x])=>m`<button data-testid="intervention-kind" data-kind=${h}
          aria-pressed=${h===o}
          @click=${()=>t({intervention:c(h)})}>${x}</button>`)}
    </div>
    ${d&&i!==null?m`${z({axis:d,side:"columns",name:`select the word to ${o==="masked"?"mask":"remove"}; a stronger colour means a greater loss`,pieces:!1,hover:!1,current:i,selected:!0,value:p,style:h=>`${Ee(p(h)/g)};${h===i?"text-decoration:line-through 2px":""}`,label:h=>d.units[h].label,select:(h,x)=>t({intervention:f(h)},x)})}`:b}`}function as(e,t){let n=e.numbers(t.logps),{steps:r}=e;return t.kinds.map((o,i)=>r.reduce((s,{logp:a},c)=>s+a-n[i*r.length+c],0))}function ls(e,t,n){let r=e.steps.length,o=e.numbers(t.logps),i=e.numbers(t.token_logps);return e.steps.map(({logp:s},a)=>({before:Math.exp(s),after:Math.exp(o[n*r+a]),token:t.tokens[n][a],tokenP:Math.exp(i[n*r+a])}))}function Ac(e,t,n){let r=ls(e,t,n),[o]=ae(r.map(({before:u,after:d})=>Math.abs(d-u))),{before:i,after:s,token:a}=r[o],c=e.target.pieces[o],l=as(e,t)[n];return m`<p class="summary" data-testid="summary">
    ${M(R(c))} ${s<i?"falls":"rises"} from ${y(i)} to ${y(s)}${a===c?"":m`; the model prefers ${M(R(a))}`}. <span class="soft">The target ${l>0?"loses":"gains"} ${y(Math.abs(l))} nats.</span></p>`}function kc(e,t,n){return m`<div class="scroll" role="region" tabindex="0" aria-label="before and after">
    <table class="moves" data-testid="intervention" data-index=${n}>
    <caption class="hidden">Probability of each piece before and after</caption>
    <thead><tr><th scope="col">piece</th><th scope="col">before</th>
      <th scope="col"><span class="hidden">chart</span></th>
      <th scope="col">after</th><th scope="col">most likely piece</th></tr></thead>
    <tbody>${ls(e,t,n).map(({before:r,after:o,token:i,tokenP:s},a)=>{let c=e.target.pieces[a];return m`<tr>
        <th scope="row">${M(R(c))}</th>
        <td data-testid="before">${y(r)}</td>
        <td class="slope">${Sc(r,o)}</td>
        <td data-testid="after">${y(o)}</td>
        <td data-testid="prediction">${i===c?m`<span class="soft">unchanged</span>`:m`${M(R(i))} ${y(s)}`}</td></tr>`})}</tbody></table></div>`}function Sc(e,t){let[n,r]=e<t?[e,t]:[t,e],o=r-n<.005?"none":t<e?"down":"up";return m`<span class="track" role="img" aria-label=${`from ${E(e)} to ${E(t)}`}>
    <i class="change ${o}" .style=${`left:${100*n}%;width:${100*(r-n)}%`}></i>
    <i class="ring" .style=${`left:${100*e}%`}></i>
    <i class="disc ${o}" .style=${`left:${100*t}%`}></i></span>`}var cs=S`
  .wrap { flex-wrap: wrap; }
  .moves { border-collapse: collapse; width: 100%; max-width: 52rem; font-size: 0.9375rem; }
  .moves th, .moves td {
    padding: 0.2rem 0.6rem; text-align: start; border-top: 1px solid var(--line);
    white-space: nowrap;
  }
  .moves thead th { border: 0; font-weight: 500; color: var(--soft); font-size: 0.875rem; }
  .moves tbody th {
    font-weight: 400; padding-inline-start: 0; max-width: 12rem; overflow: hidden;
    text-overflow: ellipsis;
  }
  .slope { width: 45%; min-width: 9rem; }
  .track {
    position: relative; display: block; height: 1rem;
    background: linear-gradient(var(--line), var(--line)) center / 100% 1px no-repeat;
  }
  .track i { position: absolute; top: 50%; }
  .change { height: 4px; margin-top: -2px; background: var(--bar); }
  .change.down, .disc.down { background: var(--mark); }
  .change.none, .disc.none { background: var(--soft); }
  .ring, .disc { width: 11px; height: 11px; margin: -5.5px; border-radius: 50%; }
  .ring { border: 2px solid var(--soft); background: var(--paper); }
  .disc { background: var(--bar); }
  @media (forced-colors: active) { .change, .disc { background: CanvasText !important; forced-color-adjust: none; } }
`;function ds({chart:e,rows:t,columns:n,at:r}){let o=n.map(s=>us(e.columns.units[s].label)),i=t.map((s,a)=>[us(e.rows.units[s].label),...n.map((c,l)=>Number.isNaN(r(a,l))?"":String(r(a,l)))]);return[['""',...o],...i].map(s=>`${s.join(",")}\r
`).join("")}function us(e){return`"${(/^[=+\-@\t\r]/.test(e)?`'${e}`:e).replaceAll('"','""')}"`}var Z=40,he=120,ms=2,Mc="14px system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif";function ps({chart:e,rows:t,columns:n,at:r}){let[o,i]=[he+n.length*Z+8,he+t.length*Z+8],s=t.flatMap((l,u)=>n.map((d,f)=>{let p=r(u,f),[g,h]=[he+f*Z,he+u*Z],x=Number.isNaN(p)?"#fff":W(p),w=p>=.005?`<text x="${g+Z/2}" y="${h+Z/2+4}" text-anchor="middle" font-size="11" fill="${mt(x)}">${E(p)}</text>`:"";return`<rect x="${g}" y="${h}" width="${Z}" height="${Z}" fill="${x}"/>${w}`})),a=t.map((l,u)=>`<text x="${he-8}" y="${he+(u+.5)*Z+5}" text-anchor="end">${fs(e.rows.units[l].label)}</text>`),c=n.map((l,u)=>{let[d,f]=[he+(u+.5)*Z+5,he-8];return`<text x="${d}" y="${f}" transform="rotate(-55 ${d} ${f})">${fs(e.columns.units[l].label)}</text>`});return`<svg xmlns="http://www.w3.org/2000/svg" width="${o}" height="${i}" viewBox="0 0 ${o} ${i}" style="font:${Mc}"><rect width="100%" height="100%" fill="#fff"/>${[...s,...a,...c].join("")}</svg>`}async function hs(e){let t=new Image;t.src=`data:image/svg+xml;charset=utf-8,${encodeURIComponent(e)}`,await t.decode();let n=document.createElement("canvas");return n.width=t.width*ms,n.height=t.height*ms,n.getContext("2d").drawImage(t,0,0,n.width,n.height),new Promise((o,i)=>n.toBlob(s=>s?o(s):i(new Error("no picture"))))}function fs(e){let t=[...e].filter(r=>/[^\p{C}]/u.test(r));return(t.length>14?`${t.slice(0,13).join("")}…`:t.join("")).replaceAll("&","&amp;").replaceAll("<","&lt;")}function bs(e){return location.protocol==="about:"?b:m`<button data-testid="csv" @click=${()=>gs(new Blob([ds(e)],{type:"text/csv"}),"weights.csv")}>Save as CSV</button>
    <button data-testid="picture" @click=${async()=>gs(await hs(ps(e)),"attention.png")}>Save picture</button>`}function gs(e,t){let n=document.createElement("a");n.href=URL.createObjectURL(e),n.download=t,n.click(),URL.revokeObjectURL(n.href)}function xs(e){let t=Be(e);if(!t)return Q(e.record);let n=Di(e,t),r=m`<label class="inline"><input type="checkbox" data-testid="special-tokens"
    .checked=${e.selection.specialTokens}
    @change=${()=>e.change({specialTokens:!e.selection.specialTokens})}> special tokens</label>`;return m`${_e(e,[r,bs(n)])} ${Wi(e,n)} ${Tc(e,n)}
    ${Ec(e,t)} ${_c(e)} ${pe(e)}`}function Tc(e,t){let{chart:n,rows:r,columns:o,at:i}=t;if(!r.length||!o.length)return m`<p class="summary">There are only special tokens, which are hidden.</p>`;let[s,a]=cn(e,t);if(Number.isNaN(i(s,a)))return m`<p class="summary" data-testid="summary">${Qt(n,r[s])}</p>`;let c=N(o.map((u,d)=>i(s,d))),l=c===a?"the highest of the row":m`the highest of the row is ${M(n.columns.units[o[c]].label)} ${y(i(s,c))}`;return m`<p class="summary" data-testid="summary">
    ${M(n.rows.units[r[s]].label)} ← ${M(n.columns.units[o[a]].label)}
    ${y(i(s,a))}, ${l}</p>`}function Ec({selection:e},t){if(e.specialTokens)return b;let n=t.columns.units.flatMap((i,s)=>i.special?[s]:[]),r=t.rows.units.flatMap((i,s)=>i.special?[]:[n.reduce((a,c)=>a+(t.row(s)[c]||0),0)]),o=r.reduce((i,s)=>i+s,0)/Math.max(1,r.length);return m`<p class="note" data-testid="hidden-tokens">Special tokens are hidden. They have a mean
    weight of ${y(o)} in each row, so rows sum to less than 1.</p>`}function _c({record:e}){let t=Array.from({length:17},(n,r)=>W(r/16));return m`<p class="legend small soft">
    <span>0 <i class="ramp" .style=${`background:linear-gradient(90deg,${t.join()})`}></i> 1</span>
    ${e.links.length?m`<span><i class="key"><i class="link"></i></i> link of the alignment head</span>`:b}
    ${e.gold?m`<span><i class="key"><i class="gold"></i></i> gold link</span>`:b}
    <span>Page Up: highest of the row; Page Down: highest of the column</span>
  </p>`}var ys="regard.explain/2",ws={u16:2,f16:2,f32:4};async function $s(e){let{arrays:t,data:n,...r}=JSON.parse(e);if(r.format!==ys)throw new Error(`This viewer reads the format ${ys}, but the record has the format “${r.format}”. Create the page with the version of regard that wrote the record.`);let o=await Nc(n),i=[],s=0;for(let{type:l,shape:u}of t)i.push(s),s+=ws[l]*vs(u);if(o.length!==s)throw new Error(`The record is damaged: its arrays have ${o.length} bytes instead of ${s}.`);let a=[];return{...r,numbers:l=>(a[l]??=Rc(o,i[l],t[l]),a[l])}}async function Nc(e){let t=atob(e),n=new Uint8Array(t.length);for(let o=0;o<t.length;o++)n[o]=t.charCodeAt(o);let r=new Blob([n]).stream().pipeThrough(new DecompressionStream("deflate"));return new Uint8Array(await new Response(r).arrayBuffer())}function Rc(e,t,{type:n,shape:r}){let o=vs(r),i=e.slice(t,t+o*ws[n]).buffer;if(n==="f32")return new Float32Array(i);let s=new Uint16Array(i),a=new Float32Array(o);for(let c=0;c<o;c++)a[c]=n==="u16"?s[c]/65535:Cc(s[c]);return a}function Cc(e){let t=e&32768?-1:1,n=e>>10&31,r=e&1023;return n===0?t*r*2**-24:n===31?r?Number.NaN:t*Number.POSITIVE_INFINITY:t*(1+r/1024)*2**(n-15)}function vs(e){return e.reduce((t,n)=>t*n,1)}var Pc=6,Ic=2;function ur(e){return e.attentions.length?Pc:Ic}function dn({weights:e,norms:t}){let n=e.map((o,i)=>o*t[i]),r=n.reduce((o,i)=>o+i,0)||1;return n.map(o=>o/r)}function As(e,t,n){let{weights:r,detail:o,units:i}=t,s=e.target.pieces[t.step],a=u=>M(i[u].label),c=M(R(s));return[()=>m`Step ${t.step+1} of ${e.steps.length}: to predict ${c}, the decoder
      computes a query${o?.terms?m` of ${o.terms.query.length} numbers`:""}.`,()=>{if(!t.scores)return m`This is a combination of several heads, which has no scores.`;let u=t.scores.filter(f=>f>Number.NEGATIVE_INFINITY).length,d=N(t.scores);return m`${a(d)} has the highest score of ${u} positions,
        ${y(t.scores[d])}.`},()=>{let[u,d]=ae(r);return m`${a(u)} gets the weight ${y(r[u])}${d===void 0?"":m`, ${a(d)} ${y(r[d])}`}.`},()=>{let u=dn(t),d=N(u);return m`Multiplied by the length of its value, ${a(d)} has the largest share,
        ${y(u[d])}.`},()=>{let u=dn(t),d=N(u);return m`${y(u[d])} of the context comes from ${a(d)}.`},()=>dr(e,t.step)][n]()}function dr(e,t){let n=e.target.pieces[t],{top:r,logp:o}=e.steps[t],i=r.find(([s])=>s!==n);return m`The model outputs ${M(R(n))} with <i>p</i> =
    ${y(Math.exp(o))}${i?m`; the best alternative is ${M(R(i[0]))} ${y(Math.exp(i[1]))}`:""}.`}function Ss(e){let{record:t,selection:n}=e;if(!t.states||t.source?.kind!=="text")return Q(t);let r=Math.min(n.row,t.steps.length-1),o=Math.min(n.stage,1),i=a=>`stage ${a===o?"now":""}`,s=["<s>",...t.target.pieces.slice(0,r)];return m`<p class="summary" role="status" aria-live="polite" data-testid="summary"
      >${o?dr(t,r):Hc(t,r)}</p>
    <section class="stage" data-testid="encoder"><h3>Encoder</h3>
      <p class="note">The encoder reads the source piece by piece. The decoder does not see these
        states, only the vector below.</p>
      ${ks(t,t.states.encoder,t.source.pieces,-1)}
    </section>
    <section class="stage fixed" data-testid="fixed"><h3>Source vector</h3>
      ${t.summary===null?b:ue(t.numbers(t.summary),"the whole source")}
    </section>
    <section class=${i(0)} data-testid="stage-0"><h3>1. Decoder state</h3>
      <p class="note">The state after each input piece. Before the first piece it is computed from
        the source vector.</p>
      ${ks(t,t.states.decoder,s,r)}
    </section>
    <section class=${i(1)} data-testid="stage-1"><h3>2. Output</h3>
      ${tn(t,r)}
    </section>`}function Hc(e,t){let n=t?e.target.pieces[t-1]:"<s>";return m`Step ${t+1} of ${e.steps.length}: the decoder reads
    ${M(R(n))} and computes its next state from ${t?"the last one":"the source vector"}.`}function ks(e,t,n,r){let o=e.numbers(t),i=t===e.states?.encoder?e.source:e.target,s=i?.kind==="text"?i.pieces.length:n.length,a=o.length/s,c=o.reduce((u,d)=>Math.max(u,Math.abs(d)),0),l=We(c);return m`<ol class="states">${n.map((u,d)=>{let f=o.subarray(d*a,(d+1)*a);return m`<li class=${d===r?"here":""} data-testid="state">
      <bdi dir="auto" title=${R(u)}>${R(u)}</bdi>
      <canvas role="img" aria-label=${`state of ${a} numbers`}
        ${ce(1,f,l,c)}></canvas></li>`})}</ol>`}var Ms=S`
  .states {
    list-style: none; display: flex; flex-wrap: wrap; gap: 0.9rem 0.25rem; margin: 0; padding: 0;
  }
  .states li { width: 4.2rem; display: grid; gap: 0.3rem; justify-items: center; }
  .states bdi {
    max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
    font-size: 0.875rem;
  }
  .states canvas { width: 1.6rem; height: 7rem; image-rendering: pixelated; }
  .states .here canvas { outline: 2px solid var(--accent); outline-offset: 2px; }
  .states .here bdi { color: var(--accent); font-weight: 650; }
  .fixed .strip { outline: 2px solid currentColor; outline-offset: 3px; margin-block: 0.3rem; }
`;function Ts(e){let t=Be(e);return t?Lc(e,t):Oc(e.record)}function Lc(e,t){let{record:n,selection:r,change:o}=e,{row:i,column:s}=fe(t,r),a=r.by==="row",[c,l]=[t.rows,t.columns],u=(p,g)=>o({by:"row",row:c.units[p].positions[0]??0},g),d=(p,g)=>o({by:"column",column:l.units[p].positions[0]??0},g),f=(p,g)=>t.row(p)[g];return m`${_e(e)}
    <p class="note" data-testid="help">Point at a word to see which words of the other text it attends
      to, or which attend to it. The darker a word, the higher its attention weight.</p>
    <div class="texts">
      ${z({axis:l,side:"columns",name:l.name==="prefix"?"target prefix":l.name,pieces:r.units==="pieces",hover:!0,current:s,selected:!a,value:p=>a?f(i,p):null,style:p=>a?Ee(f(i,p)):"",label:p=>`${l.units[p].label}, ${a?E(f(i,p)):"source word"}`,select:d})}
      ${z({axis:c,side:"rows",name:c===l?"source (queries)":c.name,pieces:r.units==="pieces",hover:!0,current:i,selected:a,value:p=>a?null:f(p,s),style:p=>`${a?"":Ee(f(p,s))};${_s(n,c,p)}`,label:p=>`${c.units[p].label}${a?"":`, ${E(f(p,s))}`}`,select:u})}
    </div>
    <p class="summary" aria-live="polite" data-testid="summary">
      ${a?Qt(t,i):Zt(t,s)}${a&&c.name==="target"?m`; <i>p</i> = ${y(Math.exp(Es(n,c.units[i])))}`:b}
    </p>
    ${zc(c.name==="target")} ${pe(e)}`}function Oc(e){let t=B("target",e.target,"words"),n=e.source?.kind==="text"?B("source",e.source,"words"):null,r={pieces:!1,hover:!1,current:-1,selected:!1,value:()=>null};return m`<div class="texts">
      ${n?z({...r,axis:n,side:"columns",name:n.name,style:()=>"",label:o=>n.units[o].label}):b}
      ${e.summary===null?b:ue(e.numbers(e.summary),"source vector")}
      ${z({...r,axis:t,side:"rows",name:t.name,style:o=>_s(e,t,o),label:o=>t.units[o].label})}
    </div>
    ${Q(e)}`}function Es(e,t){return t.positions.reduce((n,r)=>n+e.steps[r].logp,0)}function _s(e,t,n){if(t.name!=="target")return"";let r=-Es(e,t.units[n]);return`text-decoration-thickness:${(1+Math.min(4,r)).toFixed(2)}px`}function zc(e){let t=Array.from({length:9},(n,r)=>Zn(r/8));return m`<p class="legend small soft">
    <span>0 <i class="ramp" .style=${`background:linear-gradient(90deg,${t.join()})`}></i> 1,
      attention weight</span>
    ${e?m`<span>underline: <u class="sure">likely</u> <u class="unsure">unlikely</u></span>`:b}
  </p>`}var Ns=S`
  .texts { display: grid; gap: 1.75rem; }
  .texts > * { min-width: 0; }
  .texts [data-side="rows"] .word:not([data-special]) {
    text-decoration: underline var(--mark); text-underline-offset: 0.28em;
    text-decoration-skip-ink: none;
  }
  .sure, .unsure { text-decoration-color: var(--mark); text-underline-offset: 0.25em; }
  .sure { text-decoration-thickness: 1px; }
  .unsure { text-decoration-thickness: 4px; }
`;function fr({record:e,selection:t}){let n=e.head_trace;if(n===null)return!1;let{attention:r,head:o,userSelected:i}=t;return!i||n.attention===r&&n.head===o}function Rs(e){let{record:t,selection:n}=e,r=fr(e)?t.head_trace:null,o=H(t,r?.attention??n.attention);if(!o||o.kind==="encoder")return null;let i=Kn(t,o,"pieces")[1].units,s=Math.min(n.row,t.steps.length-1),a={record:t,attention:o,step:s,units:i,temperature:n.temperature};return r?Vc(a,r):Uc(a,n.head)}function Vc(e,t){let{record:n,attention:r,step:o,units:i}=e,s=C=>mr(n.numbers(C),o,n.steps.length),a=n.numbers(t.values),c=a.length/i.length,l=i.map((C,L)=>Math.hypot(...a.subarray(L*c,(L+1)*c))),u=s(t.scores),d=s(t.weights),f=Cs(e,u,d),{queries:p,keys:g,scale:h,energy:x}=t,v={terms:p===null||g===null||h===null?null:{query:s(p),keys:n.numbers(g),scale:h,energy:x===null?null:n.numbers(x)},context:Zo(f,a)};return{attention:r,step:o,units:i,scores:u,recorded:d,weights:f,norms:l,detail:v}}function Uc(e,t){let{record:n,attention:r,step:o,units:i}=e,s=n.steps.length,{heads:a}=r,c=mr(se(n.numbers(r.weights),a,t),o,s),l=se(n.numbers(r.norms),a,t),u=r.scores!==void 0&&typeof t=="number"?mr(se(n.numbers(r.scores),a,t),o,s):null,f=u&&e.temperature!==1?Cs(e,u,c):Array.from(c);return{attention:r,step:o,units:i,scores:u,recorded:c,weights:f,norms:l,detail:null}}function Cs(e,t,n){let{attention:r,temperature:o}=e,i=Jt.get(r.normalizer.name);if(!i)return Array.from(n);let s=i(t,o);if(r.prior===null)return s;let a=i(t,1);return s.map((c,l)=>a[l]?c*n[l]/a[l]:0)}function mr(e,t,n){let r=e.length/n;return e.subarray(t*r,(t+1)*r)}var hr=matchMedia("(prefers-reduced-motion: reduce)");function Ls(e){if(!e.record.attentions.length)return m`<div class="trace" @keydown=${u=>Hs(u,e)}>
      ${Ps(e,e.selection.row)} ${Is(e)} ${Ss(e)}</div>`;let t=Rs(e);if(!t)return m`<div class="placeholder" data-testid="placeholder"><p>Encoder self-attention has no
      decoding steps. ${Os(e)}</p></div>`;let{column:n,stage:r}=e.selection,{detail:o,attention:i,weights:s,units:a}=t,c=n<0?N(s):Math.min(n,a.length-1),l=u=>`stage ${u===r?"now":""}`;return m`<div class="trace" @keydown=${u=>Hs(u,e)}>
    ${Ps(e,t.step)} ${Is(e)}
    <p class="summary" role="status" aria-live="polite" data-testid="summary"
      >${As(e.record,t,r)}</p>
    ${Bc(e,t)}
    <section class=${l(0)} data-testid="stage-0"><h3>1. Query</h3>
      ${o?.terms?ue(o.terms.query,"query q, from the decoder state"):o?m`<p class="note" data-testid="no-terms">The score of this attention is not shown as
                a sum of terms. The record has its values.</p>`:pr(e,"the query")}
    </section>
    <div class="middle">
      <section class="positions ${r>0&&r<4?"now":""}">
        ${ai(e,t,c)}
        ${o?Fi(t,c):pr(e,"the terms of the scores")}</section>
      <div class="sides">
        <section class=${l(1)} data-testid="stage-1"><h3>2. Scores</h3>
          ${o?.terms?Ui(o.terms.energy!==null):b}
          <p class="note">${i.score.formula} <br><cite>${i.score.reference}</cite></p>
        </section>
        <section class=${l(2)} data-testid="stage-2"><h3>3. Weights</h3>
          ${Bi(i.normalizer,i.prior==="gaussian")}
          ${Fc(e,t)}
        </section>
        <section class=${l(3)} data-testid="stage-3"><h3>4. Weight × value</h3>
          <p class="note">A position with a short value contributes little, whatever its weight. The
            last bars show weight × ‖value‖; the largest share is
            ${y(Math.max(...dn(t)))}.</p>
        </section>
      </div>
    </div>
    <section class=${l(4)} data-testid="stage-4"><h3>5. Context</h3>
      ${o?ue(o.context,"context, Σ weight · value"):pr(e,"the context")}
    </section>
    <section class=${l(5)} data-testid="stage-5"><h3>6. Output</h3>
      ${tn(e.record,t.step)}
      ${e.selection.temperature===1?b:m`<p class="note">The output at τ = 1. Another temperature needs a new forward pass of
              the model.</p>`}
    </section>
  </div>`}function Ps({record:e,change:t},n){let r=B("target",e.target,"pieces");return z({axis:r,side:"rows",name:"target pieces",pieces:!0,hover:!1,current:n,selected:!0,value:()=>null,style:()=>"",label:o=>`step ${o+1}, ${r.units[o].label}`,select:(o,i)=>t({row:o,column:-1,playing:!1},i)})}function Is({record:e,selection:t,change:n}){let r=o=>n({...mn(t,e,o),playing:!1});return m`<div class="controls">
    <span class="pair">
      <button data-testid="back" @click=${()=>r(-1)}>← Back</button>
      <button data-testid="play" aria-pressed=${t.playing} ?disabled=${hr.matches}
        @click=${()=>n({playing:!t.playing})}>${t.playing?"Pause":"Play"}</button>
      <button data-testid="forward" @click=${()=>r(1)}>Forward →</button>
    </span>
    <label>speed <select data-testid="speed"
      @change=${o=>n({pace:Number(o.target.value)})}>
      ${[[4,"slow"],[2,"normal"],[1,"fast"]].map(([o,i])=>m`<option value=${o} ?selected=${o===t.pace}>${i}</option>`)}
    </select></label>
    <span class="soft small" data-testid="stage">stage ${t.stage+1} of ${ur(e)}${hr.matches?"; playback is off because your system prefers reduced motion":""}</span>
  </div>`}function mn(e,t,n){let r=ur(t),o=e.stage+n;if(o>=0&&o<r)return{stage:o};let i=e.row+n;return i<0||i>=t.steps.length?{playing:!1}:{row:i,column:-1,stage:n>0?0:r-1}}function Hs(e,{record:t,selection:n,change:r}){let o=e.target.closest("button, select, input, [role=button]"),i=e.key===" "?"button, select, input":"select, input, [role=button]";if(o?.matches(i))return;let s={ArrowRight:1,ArrowLeft:-1}[e.key];if(e.key===" "&&!hr.matches)r({playing:!n.playing});else if(s)r({...mn(n,t,s),playing:!1});else return;e.preventDefault()}function Bc(e,t){let{record:n,selection:r}=e,o=fr(e)&&n.head_trace?n.head_trace.head:r.head,i=n.attentions.length>1||t.attention.heads>1;return m`<p class="note" data-testid="caption">
    <strong>${De(n,t.attention,{head:o,shift:0})}</strong>.
    ${t.detail?t.detail.terms?"The record has all vectors of this head.":"The record has the scores, weights and values of this head.":m`The record has the vectors of another head. ${Os(e)}`}
    ${i?"The output depends on all heads and layers; this is one of them.":b}
    ${n.alignment_head?.shift&&t.detail?"The text view shows this head at next input, one step later.":b}</p>`}function Os({record:e,change:t}){return e.head_trace?m`<button data-testid="traced-head"
    @click=${()=>t(F(e),'[data-testid="forward"]')}>
    Show the head with all vectors</button>`:b}function pr({selection:e},t){let n=typeof e.head=="number"?e.head:0;return m`<p class="note">The record does not have ${t} of this head. To record it:
    <code>regard explain … --attention ${e.attention} --head ${n}</code></p>`}function Fc({selection:e,change:t},n){let{attention:r,scores:o,weights:i,recorded:s,detail:a}=n;if(!o)return m`<p class="note">The ${e.head==="mean"?"mean":"maximum"} of several heads
      has no scores.</p>`;let c=Math.max(...i.map((f,p)=>Math.abs(f-s[p]))),l=e.temperature,u=f=>t({temperature:2**Number(f.target.value)}),d=r.normalizer.name;return Jt.has(d)?m`${d==="hard"||d==="uniform"?b:m`<label class="field" for="temperature">
          temperature τ = ${l===1?"1, as in the model":y(l)}
          <input id="temperature" data-testid="temperature" type="range" min="-3" max="3" step="0.25"
            .value=${String(Math.log2(l))}
            @input=${u}>
        </label>`}
  ${r.prior==="gaussian"?m`<p class="note">Your browser recomputes the softmax. The Gaussian is the ratio of the
          recorded weights to this softmax, because the record does not have p and D.</p>`:b}
  ${l===1&&!a?m`<p class="note">The weights of the model. At another τ your browser computes them from
          scores in half precision.</p>`:l===1?m`<p class="note">Computed by your browser; the recorded weights differ by at most
          <data data-testid="recompute-error" data-value=${c} value=${c}
            >${c.toExponential(0).replace("-","−")}</data>.</p>`:m`<p class="note">These are not the weights of the model.
          <button data-testid="reset-temperature"
            @click=${()=>t({temperature:1},"#temperature")}>Back to τ = 1</button></p>`}`:m`<p class="note" data-testid="recorded-weights">The weights of the model. The viewer
      does not recompute this normalizer.</p>`}var zs=S`
  .trace { display: grid; gap: 1.25rem; }
  .trace > * { min-width: 0; }
  .middle {
    display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.25rem;
    align-items: start;
  }
  .sides { display: grid; gap: 1.25rem; }
  .stage, .positions {
    border-inline-start: 3px solid var(--line); padding: 0.1rem 0 0.1rem 1rem; display: grid;
    gap: 0.6rem; min-width: 0;
  }
  .stage > *, .positions > * { min-width: 0; }
  .trace .now { border-color: var(--accent); }
  .trace .now > h3 { color: var(--accent); }
  .trace code { font-size: 0.85em; overflow-wrap: anywhere; }
  @media (max-width: 52rem) { .middle { grid-template-columns: minmax(0, 1fr); } }
`;var gt=()=>!0,Vs=e=>e.source?.kind==="image",gr=[{id:"image",title:"Image",render:rs,fits:e=>Vs(e[0])},{id:"text",title:"Text",render:Ts,fits:e=>!Vs(e[0])},{id:"matrix",title:"Matrix",render:xs,fits:gt},{id:"trace",title:"Step by step",render:Ls,fits:gt},{id:"heads",title:"Layers × heads",render:es,fits:gt},{id:"beam",title:"Beam search",render:vi,fits:gt},{id:"compare",title:"Compare",render:Ii,fits:e=>e.length>1},{id:"interventions",title:"Interventions",render:ss,fits:gt}],fn=class extends Y{static styles=[Nt,Pi,Ns,Ki,ji,li,qi,zs,Ms,ts,Ai,Hi,os,cs];#e=[];#t=null;#n="";#o=!1;#i="";#s=0;#a=960;#c=new ResizeObserver(([t])=>{this.#a=t.contentRect.width,this.requestUpdate()});#u=matchMedia("(prefers-color-scheme: dark)");#d=()=>this.requestUpdate();#l=()=>this.#r(this.#m());connectedCallback(){super.connectedCallback(),this.#c.observe(this),this.#u.addEventListener("change",this.#d),window.addEventListener("hashchange",this.#l);let t=this.querySelectorAll(':scope > script[type="application/json"]');(t.length||!this.#o)&&this.show(Array.from(t,n=>n.textContent??""))}disconnectedCallback(){super.disconnectedCallback(),clearTimeout(this.#s),this.#c.disconnect(),this.#u.removeEventListener("change",this.#d),window.removeEventListener("hashchange",this.#l)}async show(t){this.#o=!0,this.#n="";try{if(this.#e=await Promise.all(t.map($s)),!this.#e.length)throw new Error("The page has no record to show.");let n=gr.filter(r=>r.fits(this.#e));this.#t={...oi(this.#e,n[0].id),...this.#m()}}catch(n){this.#n=n instanceof Error?n.message:String(n)}this.requestUpdate(),await this.updateComplete,performance.mark("regard-ready"),this.dispatchEvent(new Event("regard-ready"))}replace(t,n=0){this.#e=this.#e.map((r,o)=>o===n?t:r),this.#r({row:0,column:-1})}#m(){let[t,n]=this.#f()?location.hash.slice(1).split("/"):[],r=gr.find(i=>i.id===t&&i.fits(this.#e));if(!r)return{};let o=Number(n)-1;return o>=0?{view:r.id,row:o,column:-1}:{view:r.id}}#f(){return location.protocol!=="about:"&&document.querySelectorAll("regard-view").length===1}#r(t,n=""){if(!this.#t)return;let r=t.record,o=r===void 0?{}:{...F(this.#e[r]),stage:0};this.#t={...this.#t,...o,...t},this.#i=n;let{view:i,row:s}=this.#t,a=i==="trace"?`#trace/${s+1}`:`#${i}`;(t.view||i==="trace")&&this.#f()&&location.hash!==a&&history.replaceState(null,"",a),this.requestUpdate()}updated(t){clearTimeout(this.#s);let n=this.#t;if(n?.playing){let o=this.#e[n.record],i=()=>this.#r(mn(n,o,1));this.#s=window.setTimeout(i,n.pace*1e3)}if(!this.#i)return;let r=this.renderRoot.querySelector(this.#i);this.#i="",r?.focus()}render(){let t=this.#t;if(this.#n)return m`<p class="placeholder" role="alert">${this.#n}</p>`;if(!t)return m``;let n=this.#e,r=n[t.record],o={records:n,record:r,selection:t,width:this.#a,change:(a,c)=>this.#r(a,c)},i=gr.filter(a=>a.fits(n)),s=i.find(a=>a.id===t.view)??i[0];return m`${this.#p(o)}
      <div role="tablist" aria-label="views" @keydown=${a=>this.#g(a,i)}>
        ${i.map(a=>m`<button role="tab" id=${`tab-${a.id}`} data-testid=${`tab-${a.id}`}
            aria-selected=${a===s} aria-controls="panel" tabindex=${a===s?0:-1}
            @click=${()=>this.#r({view:a.id,playing:!1})}>${a.title}</button>`)}
      </div>
      <section class="panel" role="tabpanel" id="panel" data-testid=${`view-${s.id}`}
        aria-labelledby=${`tab-${s.id}`}>${s.render(o)}</section>
      ${this.#h(r)}`}#p({records:t,record:n,selection:r}){let{model:o,created:i}=n,s=t.length>1?m`<h2 class="hidden">${t.length} models</h2><label>model <select data-testid="model" @change=${c=>this.#r({record:Number(c.target.value)})}>
            ${t.map((c,l)=>m`<option value=${l} ?selected=${l===r.record}>
                ${c.model.name}</option>`)}</select></label>`:m`<h2>${o.name}</h2>`,a=[o.description,i.search,i.engine&&`engine ${i.engine}`,i.precision];return m`<header>${s}
      <p>${a.filter(Boolean).join(" · ")}${i.search==="given"?" (the user gave the target)":b}</p></header>`}#h({model:t,created:n}){let r=[`${t.parameters.toLocaleString("en")} parameters`,`weights ${t.sha256.slice(0,12)}`,n.regard&&`regard ${n.regard}`,n.torch&&`torch ${n.torch}`];return m`<p class="note provenance" data-testid="provenance" title=${t.sha256}>
      ${r.filter(Boolean).join(" · ")}</p>`}#g(t,n){let r=n.findIndex(({id:s})=>`tab-${s}`===t.target.id),o=n.length-1,i={ArrowRight:r===o?0:r+1,ArrowLeft:r<=0?o:r-1,Home:0,End:o}[t.key];i!==void 0&&(t.preventDefault(),this.#r({view:n[i].id,playing:!1},`#tab-${n[i].id}`))}};customElements.get("regard-view")||customElements.define("regard-view",fn);customElements.get("regard-live")||customElements.define("regard-live",Pt);
