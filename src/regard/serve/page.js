/*! The viewer of regard, Apache-2.0. It contains Lit (BSD-3-Clause, Google LLC) and d3-color, d3-hierarchy, d3-interpolate and d3-scale (ISC, Mike Bostock). */
var V=globalThis,W=V.ShadowRoot&&(V.ShadyCSS===void 0||V.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,ne=Symbol(),xe=new WeakMap,U=class{constructor(e,t,r){if(this._$cssResult$=!0,r!==ne)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=e,this.t=t}get styleSheet(){let e=this.o,t=this.t;if(W&&e===void 0){let r=t!==void 0&&t.length===1;r&&(e=xe.get(t)),e===void 0&&((this.o=e=new CSSStyleSheet).replaceSync(this.cssText),r&&xe.set(t,e))}return e}toString(){return this.cssText}},F=n=>new U(typeof n=="string"?n:n+"",void 0,ne),w=(n,...e)=>{let t=n.length===1?n[0]:e.reduce((r,s,i)=>r+(o=>{if(o._$cssResult$===!0)return o.cssText;if(typeof o=="number")return o;throw Error("Value passed to 'css' function must be a 'css' function result: "+o+". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.")})(s)+n[i+1],n[0]);return new U(t,n,ne)},ke=(n,e)=>{if(W)n.adoptedStyleSheets=e.map(t=>t instanceof CSSStyleSheet?t:t.styleSheet);else for(let t of e){let r=document.createElement("style"),s=V.litNonce;s!==void 0&&r.setAttribute("nonce",s),r.textContent=t.cssText,n.appendChild(r)}},ie=W?n=>n:n=>n instanceof CSSStyleSheet?(e=>{let t="";for(let r of e.cssRules)t+=r.cssText;return F(t)})(n):n;var{is:mt,defineProperty:gt,getOwnPropertyDescriptor:ft,getOwnPropertyNames:bt,getOwnPropertySymbols:wt,getPrototypeOf:vt}=Object,J=globalThis,Ae=J.trustedTypes,yt=Ae?Ae.emptyScript:"",$t=J.reactiveElementPolyfillSupport,O=(n,e)=>n,oe={toAttribute(n,e){switch(e){case Boolean:n=n?yt:null;break;case Object:case Array:n=n==null?n:JSON.stringify(n)}return n},fromAttribute(n,e){let t=n;switch(e){case Boolean:t=n!==null;break;case Number:t=n===null?null:Number(n);break;case Object:case Array:try{t=JSON.parse(n)}catch{t=null}}return t}},Se=(n,e)=>!mt(n,e),_e={attribute:!0,type:String,converter:oe,reflect:!1,useDefault:!1,hasChanged:Se};Symbol.metadata??=Symbol("metadata"),J.litPropertyMetadata??=new WeakMap;var $=class extends HTMLElement{static addInitializer(e){this._$Ei(),(this.l??=[]).push(e)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(e,t=_e){if(t.state&&(t.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(e)&&((t=Object.create(t)).wrapped=!0),this.elementProperties.set(e,t),!t.noAccessor){let r=Symbol(),s=this.getPropertyDescriptor(e,r,t);s!==void 0&&gt(this.prototype,e,s)}}static getPropertyDescriptor(e,t,r){let{get:s,set:i}=ft(this.prototype,e)??{get(){return this[t]},set(o){this[t]=o}};return{get:s,set(o){let a=s?.call(this);i?.call(this,o),this.requestUpdate(e,a,r)},configurable:!0,enumerable:!0}}static getPropertyOptions(e){return this.elementProperties.get(e)??_e}static _$Ei(){if(this.hasOwnProperty(O("elementProperties")))return;let e=vt(this);e.finalize(),e.l!==void 0&&(this.l=[...e.l]),this.elementProperties=new Map(e.elementProperties)}static finalize(){if(this.hasOwnProperty(O("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(O("properties"))){let t=this.properties,r=[...bt(t),...wt(t)];for(let s of r)this.createProperty(s,t[s])}let e=this[Symbol.metadata];if(e!==null){let t=litPropertyMetadata.get(e);if(t!==void 0)for(let[r,s]of t)this.elementProperties.set(r,s)}this._$Eh=new Map;for(let[t,r]of this.elementProperties){let s=this._$Eu(t,r);s!==void 0&&this._$Eh.set(s,t)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(e){let t=[];if(Array.isArray(e)){let r=new Set(e.flat(1/0).reverse());for(let s of r)t.unshift(ie(s))}else e!==void 0&&t.push(ie(e));return t}static _$Eu(e,t){let r=t.attribute;return r===!1?void 0:typeof r=="string"?r:typeof e=="string"?e.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(e=>this.enableUpdating=e),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(e=>e(this))}addController(e){(this._$EO??=new Set).add(e),this.renderRoot!==void 0&&this.isConnected&&e.hostConnected?.()}removeController(e){this._$EO?.delete(e)}_$E_(){let e=new Map,t=this.constructor.elementProperties;for(let r of t.keys())this.hasOwnProperty(r)&&(e.set(r,this[r]),delete this[r]);e.size>0&&(this._$Ep=e)}createRenderRoot(){let e=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return ke(e,this.constructor.elementStyles),e}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(e=>e.hostConnected?.())}enableUpdating(e){}disconnectedCallback(){this._$EO?.forEach(e=>e.hostDisconnected?.())}attributeChangedCallback(e,t,r){this._$AK(e,r)}_$ET(e,t){let r=this.constructor.elementProperties.get(e),s=this.constructor._$Eu(e,r);if(s!==void 0&&r.reflect===!0){let i=(r.converter?.toAttribute!==void 0?r.converter:oe).toAttribute(t,r.type);this._$Em=e,i==null?this.removeAttribute(s):this.setAttribute(s,i),this._$Em=null}}_$AK(e,t){let r=this.constructor,s=r._$Eh.get(e);if(s!==void 0&&this._$Em!==s){let i=r.getPropertyOptions(s),o=typeof i.converter=="function"?{fromAttribute:i.converter}:i.converter?.fromAttribute!==void 0?i.converter:oe;this._$Em=s;let a=o.fromAttribute(t,i.type);this[s]=a??this._$Ej?.get(s)??a,this._$Em=null}}requestUpdate(e,t,r,s=!1,i){if(e!==void 0){let o=this.constructor;if(s===!1&&(i=this[e]),r??=o.getPropertyOptions(e),!((r.hasChanged??Se)(i,t)||r.useDefault&&r.reflect&&i===this._$Ej?.get(e)&&!this.hasAttribute(o._$Eu(e,r))))return;this.C(e,t,r)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(e,t,{useDefault:r,reflect:s,wrapped:i},o){r&&!(this._$Ej??=new Map).has(e)&&(this._$Ej.set(e,o??t??this[e]),i!==!0||o!==void 0)||(this._$AL.has(e)||(this.hasUpdated||r||(t=void 0),this._$AL.set(e,t)),s===!0&&this._$Em!==e&&(this._$Eq??=new Set).add(e))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(t){Promise.reject(t)}let e=this.scheduleUpdate();return e!=null&&await e,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[s,i]of this._$Ep)this[s]=i;this._$Ep=void 0}let r=this.constructor.elementProperties;if(r.size>0)for(let[s,i]of r){let{wrapped:o}=i,a=this[s];o!==!0||this._$AL.has(s)||a===void 0||this.C(s,void 0,i,a)}}let e=!1,t=this._$AL;try{e=this.shouldUpdate(t),e?(this.willUpdate(t),this._$EO?.forEach(r=>r.hostUpdate?.()),this.update(t)):this._$EM()}catch(r){throw e=!1,this._$EM(),r}e&&this._$AE(t)}willUpdate(e){}_$AE(e){this._$EO?.forEach(t=>t.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(e)),this.updated(e)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(e){return!0}update(e){this._$Eq&&=this._$Eq.forEach(t=>this._$ET(t,this[t])),this._$EM()}updated(e){}firstUpdated(e){}};$.elementStyles=[],$.shadowRootOptions={mode:"open"},$[O("elementProperties")]=new Map,$[O("finalized")]=new Map,$t?.({ReactiveElement:$}),(J.reactiveElementVersions??=[]).push("2.1.2");var pe=globalThis,Ee=n=>n,G=pe.trustedTypes,Te=G?G.createPolicy("lit-html",{createHTML:n=>n}):void 0,Ne="$lit$",A=`lit$${Math.random().toFixed(9).slice(2)}$`,Ue="?"+A,xt=`<${Ue}>`,E=document,D=()=>E.createComment(""),z=n=>n===null||typeof n!="object"&&typeof n!="function",me=Array.isArray,kt=n=>me(n)||typeof n?.[Symbol.iterator]=="function",ae=`[ 	
\f\r]`,H=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Re=/-->/g,Me=/>/g,_=RegExp(`>|${ae}(?:([^\\s"'>=/]+)(${ae}*=${ae}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Ce=/'/g,Pe=/"/g,Oe=/^(?:script|style|textarea|title)$/i,ge=n=>(e,...t)=>({_$litType$:n,strings:e,values:t}),d=ge(1),hr=ge(2),ur=ge(3),y=Symbol.for("lit-noChange"),c=Symbol.for("lit-nothing"),Le=new WeakMap,S=E.createTreeWalker(E,129);function He(n,e){if(!me(n)||!n.hasOwnProperty("raw"))throw Error("invalid template strings array");return Te!==void 0?Te.createHTML(e):e}var At=(n,e)=>{let t=n.length-1,r=[],s,i=e===2?"<svg>":e===3?"<math>":"",o=H;for(let a=0;a<t;a++){let l=n[a],h,u,p=-1,m=0;for(;m<l.length&&(o.lastIndex=m,u=o.exec(l),u!==null);)m=o.lastIndex,o===H?u[1]==="!--"?o=Re:u[1]!==void 0?o=Me:u[2]!==void 0?(Oe.test(u[2])&&(s=RegExp("</"+u[2],"g")),o=_):u[3]!==void 0&&(o=_):o===_?u[0]===">"?(o=s??H,p=-1):u[1]===void 0?p=-2:(p=o.lastIndex-u[2].length,h=u[1],o=u[3]===void 0?_:u[3]==='"'?Pe:Ce):o===Pe||o===Ce?o=_:o===Re||o===Me?o=H:(o=_,s=void 0);let b=o===_&&n[a+1].startsWith("/>")?" ":"";i+=o===H?l+xt:p>=0?(r.push(h),l.slice(0,p)+Ne+l.slice(p)+A+b):l+A+(p===-2?a:b)}return[He(n,i+(n[t]||"<?>")+(e===2?"</svg>":e===3?"</math>":"")),r]},q=class n{constructor({strings:e,_$litType$:t},r){let s;this.parts=[];let i=0,o=0,a=e.length-1,l=this.parts,[h,u]=At(e,t);if(this.el=n.createElement(h,r),S.currentNode=this.el.content,t===2||t===3){let p=this.el.content.firstChild;p.replaceWith(...p.childNodes)}for(;(s=S.nextNode())!==null&&l.length<a;){if(s.nodeType===1){if(s.hasAttributes())for(let p of s.getAttributeNames())if(p.endsWith(Ne)){let m=u[o++],b=s.getAttribute(p).split(A),v=/([.?@])?(.*)/.exec(m);l.push({type:1,index:i,name:v[2],strings:b,ctor:v[1]==="."?de:v[1]==="?"?ce:v[1]==="@"?he:C}),s.removeAttribute(p)}else p.startsWith(A)&&(l.push({type:6,index:i}),s.removeAttribute(p));if(Oe.test(s.tagName)){let p=s.textContent.split(A),m=p.length-1;if(m>0){s.textContent=G?G.emptyScript:"";for(let b=0;b<m;b++)s.append(p[b],D()),S.nextNode(),l.push({type:2,index:++i});s.append(p[m],D())}}}else if(s.nodeType===8)if(s.data===Ue)l.push({type:2,index:i});else{let p=-1;for(;(p=s.data.indexOf(A,p+1))!==-1;)l.push({type:7,index:i}),p+=A.length-1}i++}}static createElement(e,t){let r=E.createElement("template");return r.innerHTML=e,r}};function M(n,e,t=n,r){if(e===y)return e;let s=r!==void 0?t._$Co?.[r]:t._$Cl,i=z(e)?void 0:e._$litDirective$;return s?.constructor!==i&&(s?._$AO?.(!1),i===void 0?s=void 0:(s=new i(n),s._$AT(n,t,r)),r!==void 0?(t._$Co??=[])[r]=s:t._$Cl=s),s!==void 0&&(e=M(n,s._$AS(n,e.values),s,r)),e}var le=class{constructor(e,t){this._$AV=[],this._$AN=void 0,this._$AD=e,this._$AM=t}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(e){let{el:{content:t},parts:r}=this._$AD,s=(e?.creationScope??E).importNode(t,!0);S.currentNode=s;let i=S.nextNode(),o=0,a=0,l=r[0];for(;l!==void 0;){if(o===l.index){let h;l.type===2?h=new I(i,i.nextSibling,this,e):l.type===1?h=new l.ctor(i,l.name,l.strings,this,e):l.type===6&&(h=new ue(i,this,e)),this._$AV.push(h),l=r[++a]}o!==l?.index&&(i=S.nextNode(),o++)}return S.currentNode=E,s}p(e){let t=0;for(let r of this._$AV)r!==void 0&&(r.strings!==void 0?(r._$AI(e,r,t),t+=r.strings.length-2):r._$AI(e[t])),t++}},I=class n{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(e,t,r,s){this.type=2,this._$AH=c,this._$AN=void 0,this._$AA=e,this._$AB=t,this._$AM=r,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let e=this._$AA.parentNode,t=this._$AM;return t!==void 0&&e?.nodeType===11&&(e=t.parentNode),e}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(e,t=this){e=M(this,e,t),z(e)?e===c||e==null||e===""?(this._$AH!==c&&this._$AR(),this._$AH=c):e!==this._$AH&&e!==y&&this._(e):e._$litType$!==void 0?this.$(e):e.nodeType!==void 0?this.T(e):kt(e)?this.k(e):this._(e)}O(e){return this._$AA.parentNode.insertBefore(e,this._$AB)}T(e){this._$AH!==e&&(this._$AR(),this._$AH=this.O(e))}_(e){this._$AH!==c&&z(this._$AH)?this._$AA.nextSibling.data=e:this.T(E.createTextNode(e)),this._$AH=e}$(e){let{values:t,_$litType$:r}=e,s=typeof r=="number"?this._$AC(e):(r.el===void 0&&(r.el=q.createElement(He(r.h,r.h[0]),this.options)),r);if(this._$AH?._$AD===s)this._$AH.p(t);else{let i=new le(s,this),o=i.u(this.options);i.p(t),this.T(o),this._$AH=i}}_$AC(e){let t=Le.get(e.strings);return t===void 0&&Le.set(e.strings,t=new q(e)),t}k(e){me(this._$AH)||(this._$AH=[],this._$AR());let t=this._$AH,r,s=0;for(let i of e)s===t.length?t.push(r=new n(this.O(D()),this.O(D()),this,this.options)):r=t[s],r._$AI(i),s++;s<t.length&&(this._$AR(r&&r._$AB.nextSibling,s),t.length=s)}_$AR(e=this._$AA.nextSibling,t){for(this._$AP?.(!1,!0,t);e!==this._$AB;){let r=Ee(e).nextSibling;Ee(e).remove(),e=r}}setConnected(e){this._$AM===void 0&&(this._$Cv=e,this._$AP?.(e))}},C=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(e,t,r,s,i){this.type=1,this._$AH=c,this._$AN=void 0,this.element=e,this.name=t,this._$AM=s,this.options=i,r.length>2||r[0]!==""||r[1]!==""?(this._$AH=Array(r.length-1).fill(new String),this.strings=r):this._$AH=c}_$AI(e,t=this,r,s){let i=this.strings,o=!1;if(i===void 0)e=M(this,e,t,0),o=!z(e)||e!==this._$AH&&e!==y,o&&(this._$AH=e);else{let a=e,l,h;for(e=i[0],l=0;l<i.length-1;l++)h=M(this,a[r+l],t,l),h===y&&(h=this._$AH[l]),o||=!z(h)||h!==this._$AH[l],h===c?e=c:e!==c&&(e+=(h??"")+i[l+1]),this._$AH[l]=h}o&&!s&&this.j(e)}j(e){e===c?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,e??"")}},de=class extends C{constructor(){super(...arguments),this.type=3}j(e){this.element[this.name]=e===c?void 0:e}},ce=class extends C{constructor(){super(...arguments),this.type=4}j(e){this.element.toggleAttribute(this.name,!!e&&e!==c)}},he=class extends C{constructor(e,t,r,s,i){super(e,t,r,s,i),this.type=5}_$AI(e,t=this){if((e=M(this,e,t,0)??c)===y)return;let r=this._$AH,s=e===c&&r!==c||e.capture!==r.capture||e.once!==r.once||e.passive!==r.passive,i=e!==c&&(r===c||s);s&&this.element.removeEventListener(this.name,this,r),i&&this.element.addEventListener(this.name,this,e),this._$AH=e}handleEvent(e){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,e):this._$AH.handleEvent(e)}},ue=class{constructor(e,t,r){this.element=e,this.type=6,this._$AN=void 0,this._$AM=t,this.options=r}get _$AU(){return this._$AM._$AU}_$AI(e){M(this,e)}};var _t=pe.litHtmlPolyfillSupport;_t?.(q,I),(pe.litHtmlVersions??=[]).push("3.3.3");var De=(n,e,t)=>{let r=t?.renderBefore??e,s=r._$litPart$;if(s===void 0){let i=t?.renderBefore??null;r._$litPart$=s=new I(e.insertBefore(D(),i),i,void 0,t??{})}return s._$AI(n),s};var fe=globalThis,f=class extends ${constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let e=super.createRenderRoot();return this.renderOptions.renderBefore??=e.firstChild,e}update(e){let t=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(e),this._$Do=De(t,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return y}};f._$litElement$=!0,f.finalized=!0,fe.litElementHydrateSupport?.({LitElement:f});var St=fe.litElementPolyfillSupport;St?.({LitElement:f});(fe.litElementVersions??=[]).push("4.2.2");var qe={ink:"#1c2430",soft:"#566170",line:"#dfe4ea",paper:"#ffffff",card:"#f6f8fa",accent:"#33475f",accentSoft:"#e6ebf2",mark:"#b3261e",negative:"#4a5360",query:"#6f3fa8",key:"#00756c",value:"#9a5a00",weight:"#1c5fb0",context:"#a8236b",output:"#2b7320"},Ie={ink:"#e6eaf0",soft:"#a3aebc",line:"#323b47",paper:"#14181e",card:"#1c222a",accent:"#b4c4d8",accentSoft:"#2a3543",mark:"#f59b93",negative:"#9aa5b4",query:"#c7acf5",key:"#5fd0c5",value:"#f2b45a",weight:"#7db4f5",context:"#f28fc0",output:"#8fd47e"},Sr={light:[qe.paper,"#6ba4de","#06285e"],dark:[Ie.paper,"#2b69b0","#d3e8ff"]};function ze(n){let e=t=>t.replace(/[A-Z]/,r=>`-${r.toLowerCase()}`);return Object.entries(n).map(([t,r])=>`--${e(t)}:${r};`).join("")}var je=F(`:host{${ze(qe)}}@media (prefers-color-scheme:dark){:host{${ze(Ie)}}}`);var P=w`
  ${je}
  :host {
    color-scheme: light dark;
    --small: 0.9375rem; --tiny: 0.875rem;
    display: block; background: var(--paper); color: var(--ink);
    font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
    font-variant-numeric: tabular-nums; text-align: start;
  }
  @media (min-width: 75rem) { :host { --small: 1rem; } }
  * { box-sizing: border-box; }
  h2, h3, p, figure { margin: 0; }
  h2 { font-size: 1.05rem; font-weight: 650; overflow-wrap: anywhere; }
  h3 { font-size: 1rem; font-weight: 650; }
  a { color: var(--accent); }
  sub, sup { font-size: var(--tiny); }
  .soft { color: var(--soft); }
  .small { font-size: var(--small); }
  .token { font-weight: 600; font-style: normal; overflow-wrap: anywhere; }
  .number { font-variant-numeric: tabular-nums; white-space: nowrap; }
  .number:not(td *) { font-weight: 600; }
  header { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: baseline; }
  header p { color: var(--soft); font-size: var(--small); overflow-wrap: anywhere; }
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
    display: flex; gap: 0.25rem 1.25rem; overflow-x: auto; overflow-y: hidden;
    margin: 0.5rem 0 1.25rem; scrollbar-width: none;
    box-shadow: inset 0 -1px var(--line);
  }
  [role="tab"] {
    border: 0; border-radius: 0; background: none; padding: 0.5rem 0; color: var(--soft);
    border-bottom: 2px solid transparent; white-space: nowrap; flex: none;
  }
  [role="tab"][aria-selected="true"] {
    color: var(--ink); border-color: var(--accent); font-weight: 600;
  }
  .panel { display: grid; gap: 1.25rem; min-width: 0; }
  .panel > * { min-width: 0; }
  .controls { display: flex; flex-wrap: wrap; gap: 0.6rem 1rem; align-items: end; }
  .controls label, .field { display: grid; gap: 0.15rem; font-size: var(--small); color: var(--soft); }
  .controls label > *, .field button, .field input { font-size: var(--small); color: var(--ink); }
  .controls label.inline {
    display: flex; align-items: center; gap: 0.4rem; min-height: 2rem; color: var(--ink);
    font-size: var(--small);
  }
  .pair { display: flex; }
  .pair button { border-radius: 0; margin-inline-start: -1px; }
  .pair button:first-child { border-start-start-radius: 6px; border-end-start-radius: 6px; }
  .pair button:last-child { border-start-end-radius: 6px; border-end-end-radius: 6px; }

  .primary { background: var(--accent); color: var(--paper); border-color: var(--accent); min-width: 6.5rem; }
  button.primary[aria-pressed="true"] { background: var(--paper); color: var(--accent); }
  .options > summary { cursor: pointer; color: var(--soft); font-size: var(--small); width: fit-content; }
  .options-body { display: grid; gap: 0.75rem; padding-top: 0.75rem; }

  .summary {
    font-size: 1.125rem; line-height: 1.5; max-width: 46rem; overflow: clip;
    overflow-clip-margin: 0.3rem;
  }
  .note { color: var(--soft); font-size: var(--small); max-width: 46rem; overflow-wrap: anywhere; }
  .note .number { color: var(--ink); }
  cite { font-style: normal; }
  .note strong { color: var(--ink); font-weight: 600; }
  .provenance { margin-top: 2rem; font-size: var(--small); }
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
`;var x=class extends Error{constructor(t,r,s){super(t);this.status=r;this.retryAfter=s}status;retryAfter},Be="regard-key",j={get:()=>sessionStorage.getItem(Be)??"",set:n=>sessionStorage.setItem(Be,n)};async function Ke(){return(await we("v1/models")).models}function Ve(n,e,t,r){return we("v1/translate",{...be(n),texts:e,...t},r)}async function We(n,e,t,r){let s={...be(n),source:e,target:t};return JSON.stringify((await we("v1/explain",s,r)).record)}async function Fe(n,e,t,r){let s=new URLSearchParams({name:n.name,...be(e)}),i={"Content-Type":"application/octet-stream",Accept:"text/event-stream"},a=(await Ge(`v1/documents?${s}`,{method:"POST",body:n,headers:i,signal:t})).body?.pipeThrough(new TextDecoderStream).getReader(),l="";for(;;){let h=await a?.read().catch(()=>{});if(!h||h.done)break;l+=h.value;let u=l.split(`

`);l=u.pop()??"";for(let p of u){let[,m,b]=/^event: (\w+)\ndata: (.*)$/su.exec(p)??[],v=b?JSON.parse(b):{};if(m==="progress"&&r(v.done,v.total),m==="error")throw new x(v.error,v.status,0);if(m==="done")return v}}throw new x("The connection was lost. Try again.",0,0)}function be(n){let e=n.target_language;return{model:n.name,...e&&{target_language:e}}}async function we(n,e,t){let r={signal:t??null};if(e){let i={"Content-Type":"application/json"};Object.assign(r,{method:"POST",body:JSON.stringify(e),headers:i})}return await(await Ge(n,r)).json().catch(i=>{throw t?.aborted?i:Je()})}function Je(){return new x("The server does not answer. Check that it is running.",0,0)}async function Ge(n,e){let t=new Headers(e.headers);j.get()&&t.set("Authorization",`Bearer ${j.get()}`);let r;try{r=await fetch(n,{...e,headers:t,cache:"no-store"})}catch(a){throw e.signal?.aborted?a:Je()}if(r.ok)return r;let i=(await r.json().catch(()=>({}))).error??`The server answered with status ${r.status}.`,o=Number(r.headers.get("Retry-After"))||0;throw new x(i,r.status,o)}var Et={"low probability under the model":"The model is unsure of the whole sentence.","token probabilities vary widely":"The model is unsure of parts of the sentence.","one token or the end is very unlikely":"The model is unsure of at least one word.","consecutive source words have no attention":"Several words in a row may not be translated.","repeated words":"Words are repeated.","short for its source":"It is short; something may be missing.","long for its source":"It is long; something may have been added."};function Y(n){let e=/^Check the translation: (.*)\.$/u.exec(n)?.[1]??"";return Et[e]??n.replace("Source words without a counterpart","Not found in it")}function Z(n){let e=Array.from(n);return`“${e.length>30?`${e.slice(0,29).join("").trim()}…`:n}”`}var Tt=new Intl.DisplayNames(["en"],{type:"language",fallback:"code"});function B(n){if(!n)return"";try{return Tt.of(n)??n}catch{return n}}function Ye(n,e){let{name:t,source_language:r,target_language:s}=n;if(!r||!s)return t;let i=`${B(r)} → ${B(s)}`;return e.filter(a=>a.source_language===r&&a.target_language===s).length>1?`${i} (${t})`:i}function T(n,e){let t=e.filter(o=>o.name===n.name).length>1,{name:r,source_language:s,target_language:i}=n;return t?`${r} ${s}-${i}`:r}function Ze(n,e){if(n.source_language)return e.find(t=>t.source_language===n.target_language&&t.target_language===n.source_language)}var ve=20,X=class extends f{static styles=[P,w`
      section {
        margin-top: 1.25rem; padding: 1rem 1.5rem; border: 1px solid var(--line);
        border-radius: 12px; display: grid; gap: 0.6rem; justify-items: start;
      }
      h2 { font-size: var(--small); }
      progress { width: 100%; accent-color: var(--accent); height: 0.5rem; }
      .buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; }
      button { min-height: 2.75rem; }
      button.save { background: var(--accent); border-color: var(--accent); color: var(--paper); }
      ul { margin: 0; padding: 0; list-style: none; display: grid; gap: 0.4rem; }
      li { border-inline-start: 3px solid var(--mark); padding-inline-start: 0.75rem; }
      .failed { border-inline-start: 3px solid var(--mark); padding-inline-start: 0.75rem; }
      @media (max-width: 46rem) { section { padding: 1rem; } }
    `];#e=null;#t="";#s=null;#n=new AbortController;async open(e,t){this.#d(),this.#t=e.name,this.#s=t;let{signal:r}=this.#n;this.#l({kind:"running",done:0,total:0});try{let s=await Fe(e,t,r,(o,a)=>{r.aborted||this.#l({kind:"running",done:o,total:a})});if(r.aborted)return;let i=Uint8Array.from(atob(s.document),o=>o.charCodeAt(0));this.#l({kind:"done",document:s,file:new Blob([i])})}catch(s){if(r.aborted)return;let i=s instanceof Error?s.message:String(s);this.#l({kind:"failed",message:i})}}render(){let e=this.#e;return e?d`<section aria-label="document" data-testid="document">
      <h2><bdi>${this.#t}</bdi></h2>
      ${e.kind==="running"?this.#r(e.done,e.total):c}
      ${e.kind==="failed"?d`<p class="failed" role="alert">${e.message}</p>`:c}
      ${e.kind==="done"?this.#o(e.document):c}
      <div class="buttons">
        ${e.kind==="done"?d`<button class="save" data-testid="save-document" @click=${()=>Rt(e.file,this.#a())}>Save ${this.#a()}</button>`:c}
        <button data-testid="close-document" @click=${()=>this.#d()}
          >${e.kind==="running"?"Cancel":"Close"}</button></div>
      ${e.kind==="done"?this.#i(e.document):c}
    </section>`:c}#r(e,t){let r=t?e/t:void 0;return d`<p class="small soft" role="status" data-testid="document-progress">${t?`${K(e)} of ${K(t)} texts`:"Reading the document…"}</p><progress aria-label="progress" max="1" .value=${r??0}></progress>`}#o({report:e}){let t=e.to_check?`${K(e.to_check)} to check`:"nothing to check";return d`<p role="status" data-testid="document-summary">${K(e.segments.length)}
      texts translated, ${t}.</p>`}#i({report:e}){let t=e.segments.filter(({notes:r})=>r.length);return t.length?d`<ul data-testid="document-checks">${t.slice(0,ve).map(({place:r,source:s,notes:i})=>d`<li><strong>${r}</strong>
        <bdi>${Z(s)}</bdi> ${i.map(o=>d`<bdi>${Y(o)}</bdi> `)}</li>`)}</ul>${t.length>ve?d`<p class="small soft">and ${K(t.length-ve)} more</p>`:c}`:c}#a(){let e=this.#s?.target_language??"translated",t=this.#t.lastIndexOf(".");return t>0?`${this.#t.slice(0,t)}.${e}${this.#t.slice(t)}`:`${this.#t}.${e}`}#d(){this.#n.abort(),this.#n=new AbortController,this.#l(null)}#l(e){this.#e=e,this.requestUpdate()}};function K(n){return n.toLocaleString("en")}function Rt(n,e){let t=document.createElement("a");t.href=URL.createObjectURL(n),t.download=e,t.click(),window.setTimeout(()=>URL.revokeObjectURL(t.href),6e4)}function Q(n,e){let t=[0];for(let r of n)t.push((t.at(-1)??0)+r.length);return e.map(([r,s])=>[t[r],t[s]])}var Xe=new WeakMap;function g(n,e){let t=Xe.get(e);if(t)return t;let{alignment:r,text:s}=e,i=r?{source:Q(n,r.source),target:Q(s,r.target),links:r.links}:{source:[],target:s?[[0,s.length]]:[],links:[]};return Xe.set(e,i),i}function R({links:n},e,t){let[r,s]=e==="source"?[0,1]:[1,0];return n.filter(i=>i[r]===t).map(i=>i[s])}function L(n,e,t){return[...new Set(t)].sort((r,s)=>r-s).map((r,s,i)=>{let[o,a]=e[r];return s===0?n.slice(o,a):(i[s-1]===r-1?n.slice(e[r-1][1],o):" … ")+n.slice(o,a)}).join("")}function Qe(n,e,t,r){let s=R(g(n,e),"target",t),i=new Map;for(let o of[e,...r]){let a=g(n,o),l=s.flatMap(u=>R(a,"source",u)),h=L(o.text,a.target,Mt(l,t));h&&!i.has(h)&&i.set(h,{text:h,hypothesis:o})}return[...i.values()]}function Mt(n,e){let t=s=>Math.min(...s.map(i=>Math.abs(i-e))),r=[];for(let s of[...new Set(n)].sort((i,o)=>i-o)){let i=r.at(-1);i?.at(-1)===s-1?i.push(s):r.push([s])}return r.sort((s,i)=>t(s)-t(i))[0]??[]}function et(n,e){let[t,r]=[n,e].map(o=>o.split(/(\s+)/u)),s=Array.from(t,()=>new Uint16Array(r.length+1));s.push(new Uint16Array(r.length+1));for(let o=t.length-1;o>=0;o--)for(let a=r.length-1;a>=0;a--)s[o][a]=t[o]===r[a]?s[o+1][a+1]+1:Math.max(s[o+1][a],s[o][a+1]);let i=[];for(let o=0,a=0;o<t.length;)t[o]===r[a]?(i.push([t[o],!1]),o+=1,a+=1):a===r.length||s[o+1][a]>=s[o][a+1]?(i.push([t[o],t[o].trim()!==""]),o+=1):a+=1;return i}function tt(n){let{row:e,word:t,failure:r,position:s}=n;if(!e.translated)return c;let{shown:i,hypotheses:o}=e.translated,a=g(e.source,i),l=L(e.source,a.source,R(a,"target",t));return d`<div class="alternatives" role="dialog" aria-label="alternatives" tabindex="-1"
      data-testid="alternatives" .style=${s} @keydown=${Lt}
      @focusout=${h=>{let u=h.currentTarget;h.relatedTarget&&!u.contains(h.relatedTarget)&&n.close(!1)}}>
    <button class="plain close" aria-label="Close" data-testid="close-alternatives"
      @click=${()=>n.close(!0)}>${ye}</button>
    ${r?d`<p role="alert">${r}</p>`:o.length?d`${l?Ct(n,l):c} ${Pt(n)}`:d`<p class="soft" role="status">Looking for alternatives…</p>`}
    <button class="steps" data-testid="word-steps" @click=${n.showSteps}>
      Show how this sentence was translated</button>
  </div>`}var ye=d`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 3l10 10M13 3L3 13"/></svg>`;function Ct({row:n,word:e,select:t},r){let{shown:s,hypotheses:i}=n.translated,o=Qe(n.source,s,e,i);return d`<h3><span class="soft">for</span> <span dir="auto">${r}</span></h3>
    <div class="chips">${o.map(({text:a,hypothesis:l})=>d`<button class="option" data-testid="word-option" dir="auto"
        aria-pressed=${l===s} @click=${()=>t(l)}>${a}</button>`)}</div>
    ${o.length>1?c:d`<p class="soft small">All alternatives have the same word.</p>`}`}function Pt({row:n,select:e}){let{shown:t,hypotheses:r}=n.translated;return d`<h3 class="soft">Whole sentence</h3>
    <div class="options">${r.map(s=>d`<button class="option" data-testid="sentence-option" dir="auto"
        aria-pressed=${s===t} @click=${()=>e(s)}>${et(s.text,t.text).map(([i,o])=>o?d`<b>${i}</b>`:i)}</button>`)}</div>`}function Lt(n){let e={ArrowDown:1,ArrowUp:-1}[n.key];if(e===void 0)return;n.preventDefault();let t=n.currentTarget,r=Array.from(t.querySelectorAll(".option")),s=r.indexOf(t.getRootNode().activeElement);r.at(s<0?0:(s+e)%r.length)?.focus()}var Nt=d`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M10 3L5 8l5 5"/></svg>`,Ut=d`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M6 3l5 5-5 5"/></svg>`,ee=class extends f{#e=null;#t="";#s=[];#n=0;#r="";#o=new AbortController;async open(e,t,r,s){[this.#t,this.#e,this.#s]=[e,t,r],this.requestUpdate(),await this.updateComplete,this.renderRoot.querySelector("dialog")?.showModal(),await this.#i(s)}async#i(e){this.#n=e,this.#o.abort(),this.#o=new AbortController;let{signal:t}=this.#o;this.#a("Recording the computation…");let{source:r,target:s}=this.#s[e];if(this.#e)try{let[i]=await Promise.all([We(this.#e,r,s,t),import(new URL(this.#t,document.baseURI).href)]);if(t.aborted)return;history.replaceState(null,"",location.hash.split("/")[0]||"#stage");let o=document.createElement("regard-view");o.style.setProperty("--below","4.75rem"),o.show([i]),this.replaceChildren(o),this.#a("")}catch(i){t.aborted||this.#a(i instanceof Error?i.message:String(i))}}#a(e){this.#r=e,e&&this.replaceChildren(),this.requestUpdate()}#d(){this.#o.abort(),this.replaceChildren(),history.replaceState(null,"",location.pathname+location.search)}render(){let e=this.#s.length-1,t=()=>this.renderRoot.querySelector("dialog");return d`<dialog aria-label="How a sentence was translated" data-testid="steps"
        @close=${()=>this.#d()}>
      <div class="head">
        <h2>${e>0?`Sentence ${this.#n+1} of ${e+1}`:"How it was translated"}</h2>
        ${e>0?d`<button class="plain" aria-label="Previous sentence" ?disabled=${this.#n===0}
                data-testid="previous-sentence" @click=${()=>this.#i(this.#n-1)}>${Nt}</button>
              <button class="plain" aria-label="Next sentence" ?disabled=${this.#n===e}
                data-testid="next-sentence" @click=${()=>this.#i(this.#n+1)}>${Ut}</button>`:c}
        <button class="plain" aria-label="Close" data-testid="close-steps"
          @click=${()=>t()?.close()}>${ye}</button>
      </div>
      <section class="body" aria-label="steps of the translation">
        ${this.#r?d`<p class="soft" role="status">${this.#r}</p>`:c}
        <slot></slot>
      </section>
    </dialog>`}static styles=[P,w`
      :host { display: contents; }
      dialog {
        width: min(76rem, 100vw - 3rem); height: calc(100dvh - 3rem); max-width: none;
        max-height: none; padding: 0; border: 1px solid var(--line); border-radius: 12px;
        background: var(--paper); color: var(--ink); overflow: hidden;
      }
      dialog::backdrop { background: rgb(0 0 0 / 45%); }
      dialog[open] { display: grid; grid-template-rows: auto 1fr; }
      .head {
        display: flex; align-items: center; gap: 0.5rem; padding: 0.75rem 0.75rem 0.75rem 1.5rem;
        border-bottom: 1px solid var(--line);
      }
      .head h2 { margin-inline-end: auto; }
      .head button { min-height: 2.75rem; }
      .plain { border-color: transparent; min-width: 2.75rem; padding: 0; }
      .plain:disabled { opacity: 0.4; }
      svg {
        width: 1rem; height: 1rem; fill: none; stroke: currentcolor; stroke-width: 1.75;
        stroke-linecap: round; vertical-align: -0.1rem;
      }
      .body { overflow: auto; padding: 1.25rem 1.5rem; overscroll-behavior: contain; }
      @media (max-width: 46rem) {
        dialog { width: 100vw; height: 100dvh; border: 0; border-radius: 0; }
        .head { padding-inline: 1rem 0.5rem; }
        .body { padding: 1rem; }
      }
    `]};function rt(n,e,t,r){if(n==="Home")return 0;if(n==="End")return t;let s={ArrowRight:1,ArrowLeft:-1,ArrowDown:1,ArrowUp:-1}[n];return s===void 0?null:Math.max(0,Math.min(t,e+((n==="ArrowRight"||n==="ArrowLeft")&&r?-s:s)))}var Jr=w`
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
`;var Ot=/[.!?…‼⁇⁈⁉؟۔।॥።။។]+|[。！？｡]+/gu,Ht="。！？｡",Dt=`"'”’»«›‹)]}」』）】〉》`,zt=`"'“‘«„([{¿¡–—-`,nt=new Set("mr mrs ms dr prof rev gen col sgt capt lt gov sen rep hon st mt jr sr vs inc ltd co corp dept eds pp cf eg ie etc al approx jan feb mar apr jun jul aug sept oct nov dec mme mlle mgr pr av bd chap éd env janv févr avr juil déc réf tél hr fr bzw ca evtl ggf inkl nr str tel usw vgl zb dh ua uu zt abs geb gest jh jhd mio mrd sog std tsd zzgl".split(" ")),qt=new Set(["no","nos","nº","art","fig","figs","vol","p","s"]),It=2*Math.max(...Array.from(nt,n=>n.length));function it(n){let e=[];for(let t of n.matchAll(/[^\n]+/g))for(let[r,s]of jt(t[0]))e.push([t.index+r,t.index+s]);return e}function jt(n){let e=[],t=0;for(let r of n.matchAll(Ot)){let s=r.index+r[0].length,i=Bt(n,s);i<=t||!Kt(n,r,s,i)||(st(e,n,t,i),t=i)}return st(e,n,t,n.length),e}function st(n,e,t,r){let s=e.slice(t,r),i=s.trim(),o=t+s.length-s.trimStart().length;i&&n.push([o,o+i.length])}function Bt(n,e){let t=e;for(;;)if(t<n.length&&Dt.includes(n[t]))t+=1;else if(/^\s»/u.test(n.slice(t,t+2)))t+=2;else return t}function Kt(n,e,t,r){let s=e[0];if(Ht.includes(s[0]))return!0;if(r<n.length&&!/\s/u.test(n[r]))return!1;let i=Vt(n,r);return/^\p{Lowercase}/u.test(i)?!1:s!=="."||r>t||!Wt(n,t-1,i)}function Vt(n,e){let t=e;for(;t<n.length&&(/\s/u.test(n[t])||zt.includes(n[t]));)t+=1;return n.slice(t,t+2)}function Wt(n,e,t){let r=n.slice(Math.max(0,e-It),e);if(!r||/\s$/u.test(r))return!1;let i=(r.split(/\s+/u).at(-1)??"").toLowerCase().replace(/^["'“‘’«„([{]+/u,"");if(/^\p{Nd}+$/u.test(i))return Array.from(i).length<=2;let o=Array.from(i.split(".").at(-1)??"").length===1,a=i.replaceAll(".",""),l=qt.has(a)&&/^\p{Nd}/u.test(t);return o||nt.has(a)||l}var Ft=250,Jt=600,Gt=32,Yt=5,Zt=5e3,te=class{constructor(e,t){this.limits=e;this.changed=t}limits;changed;models=[];model=null;text="";rows=[];state={kind:"ready"};#e=new Map;#t="";#s=new AbortController;#n=0;get characters(){return Array.from(this.text.normalize("NFKC")).length}get reverse(){return this.model?Ze(this.model,this.models):void 0}get translation(){return this.rows.map((e,t)=>this.gap(t)+(e.translated?.shown.text??e.before)).join("")}gap(e){let t=e?this.rows[e-1].span[1]:0,r=this.text.slice(t,this.rows[e].span[0]);return r||!e?r:" "}async open(){try{let e=this.model&&T(this.model,this.models);this.models=await Ke(),this.model=this.#r(e)??this.models[0],this.#c({kind:"ready"}),this.text&&this.setText(this.text)}catch(e){this.#l(e,()=>this.open())}}useKey(e){j.set(e.trim()),this.open()}#r(e){return this.models.find(t=>T(t,this.models)===e)}setModel(e){this.model=this.#r(e)??this.model,this.#e.clear(),this.setText(this.text,0)}swap(){let{reverse:e,translation:t}=this;e&&(this.text=t,this.setModel(T(e,this.models)))}setText(e,t=Ft){this.text=e,this.#p();let r=it(e),s=r.map(a=>e.slice(...a)),i=this.rows.map(a=>s.includes(a.source)?"":a.translated?.shown.text??a.before);this.rows=s.map((a,l)=>({span:r[l],source:a,translated:this.#e.get(a),before:i[l]??""})),this.#e.size>Zt&&this.#m();let o=this.characters<=this.limits.characters;this.#c({kind:o?"ready":"too-long"}),this.model&&o&&(this.#n=window.setTimeout(()=>this.#o(),t))}retry(){this.model?this.setText(this.text,0):this.open()}async alternatives(e){let{translated:t}=e;if(!t||t.hypotheses.length)return;let r=await this.#d([e.source],{n_best:Math.min(Yt,this.limits.beam)}),s=new Map([[t.best.text,t.best]]),[i]=r;for(let o of i.n_best.length?i.n_best:[i])o.text.trim()&&!s.has(o.text)&&s.set(o.text,o);t.hypotheses=[...s.values()],this.changed()}select(e,t){e.translated&&(e.translated.shown=t),this.changed()}async#o(){try{await this.#a(e=>!e.translated,{},(e,t)=>{let r={best:t,shown:t,checked:!1,warnings:[],unaligned:[]};this.#e.set(e,{...r,hypotheses:[]})}),this.#c({kind:"ready"}),this.model?.quality&&this.rows.some(e=>!e.translated?.checked)&&(this.#n=window.setTimeout(()=>this.#i(),Jt))}catch(e){this.#l(e,()=>this.#o())}}async#i(){try{await this.#a(e=>!e.translated?.checked,{quality:!0},(e,t)=>{let r=this.#e.get(e);r&&(r.checked=!0,r.best.text===t.text&&(r.warnings=t.warnings,r.unaligned=Q(e,t.unaligned)))})}catch(e){e instanceof x&&e.status===401&&this.#l(e)}}async#a(e,t,r){let s=[...new Set(this.rows.filter(e).map(o=>o.source))],i=Math.min(Gt,this.limits.texts);for(let o=0;o<s.length;o+=i){t.quality||this.#c({kind:"translating"});let a=s.slice(o,o+i),l=await this.#d(a,t);a.forEach((h,u)=>{r(h,l[u])});for(let h of this.rows)h.translated??=this.#e.get(h.source);this.changed()}}async#d(e,t){let r=this.model,{alignments:s}=r,{signal:i}=this.#s,o=await Ve(r,e,{alignments:s,...t},i);i.throwIfAborted();let a=`${T(r,this.models)} ${o.version}`;return this.#t!==a&&this.#e.clear(),this.#t=a,o.translations}#l(e,t){if(!(e instanceof x))return;let{message:r,status:s,retryAfter:i}=e;s===401?this.#c({kind:"no-key",refused:j.get()!==""}):i&&t?(this.#c({kind:"waiting",message:r,seconds:i}),this.#n=window.setTimeout(t,i*1e3)):this.#c({kind:"failed",message:r})}#p(){this.#s.abort(),this.#s=new AbortController,clearTimeout(this.#n)}#m(){let e=new Set(this.rows.map(t=>t.source));for(let t of this.#e.keys())e.has(t)||this.#e.delete(t)}#c(e){this.state=e,this.changed()}};var ot=w`
  :host {
    min-height: 100dvh; max-width: 76rem; margin: 0 auto; padding: 0 1.5rem 2rem;
    --radius: 12px; --linked: #fbe3b5;
  }
  @media (prefers-color-scheme: dark) { :host { --linked: #6b4a12; } }
  h1 { font-size: 1.125rem; font-weight: 700; margin: 0; letter-spacing: -0.01em; }
  header { align-items: center; padding: 1.25rem 0.25rem; gap: 1rem; }
  header p { margin-inline-end: auto; }
  header a { font-size: var(--small); }
  svg {
    width: 1.25rem; height: 1.25rem; fill: none; stroke: currentcolor; stroke-width: 1.6;
    stroke-linecap: round; stroke-linejoin: round; vertical-align: middle;
  }
  button.plain { border-color: transparent; background: none; color: var(--accent); }
  button.plain:hover:enabled { background: var(--accent-soft); }
  [hidden] { display: none !important; }

  main {
    display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
    border: 1px solid var(--line); border-radius: var(--radius);
  }
  main[data-dropping] { outline: 2px dashed var(--accent); outline-offset: 3px; }
  .side {
    display: grid; grid-template: auto 1fr auto / minmax(0, 1fr); min-width: 0; min-height: 24rem;
  }
  .target {
    background: var(--card); border-inline-start: 1px solid var(--line);
    border-start-end-radius: var(--radius); border-end-end-radius: var(--radius);
  }
  .head, .foot {
    display: flex; align-items: center; gap: 0.25rem; min-height: 3.25rem;
    padding: 0.25rem 0.75rem 0.25rem 1.5rem;
  }
  .head h2 { font-size: var(--small); font-weight: 600; color: var(--soft); margin-inline-end: auto; }
  .foot > :first-child { margin-inline-end: auto; }
  .foot button, .head button { min-height: 2.75rem; font-size: var(--small); }
  .icon { min-width: 2.75rem; padding: 0; }
  .progress { margin-inline-end: 0.75rem; animation: appear 0.2s 0.3s backwards; }
  @keyframes appear { from { opacity: 0; } }

  .editor { display: grid; }
  .editor > *, .result {
    font: inherit; font-size: 1.375rem; line-height: 1.6; letter-spacing: normal;
    padding: 0.25rem 1.5rem; margin: 0; border: 0; white-space: pre-wrap;
    overflow-wrap: break-word; word-break: normal; text-align: start; unicode-bidi: plaintext;
    font-variant-numeric: normal; tab-size: 8;
  }
  .editor > * { grid-area: 1 / 1; min-width: 0; width: 100%; }
  .mirror { color: transparent; user-select: none; pointer-events: none; }
  textarea {
    position: relative; resize: none; overflow: hidden; background: none; color: inherit;
    height: 100%; min-height: 100%; display: block;
  }
  textarea:focus-visible { outline: none; }
  textarea::placeholder { color: var(--soft); opacity: 1; }
  .source { border-start-start-radius: var(--radius); border-end-start-radius: var(--radius); }
  .source:has(textarea:focus-visible) {
    outline: 2px solid var(--accent); outline-offset: -1px;
  }

  .output { position: relative; }
  .mark { border-radius: 3px; transition: background 0.12s, box-shadow 0.12s; }
  .target .mark { cursor: pointer; }
  .mark[data-marked] { background: var(--accent-soft); box-shadow: 0 0 0 2px var(--accent-soft); }
  .mark[data-marked="counterpart"] {
    background: var(--linked); box-shadow: 0 0 0 2px var(--linked);
  }
  .mark[aria-expanded="true"] { background: var(--accent-soft); }
  .mark[data-unaligned], .sample {
    text-decoration: underline dotted var(--mark) 2px; text-underline-offset: 0.25em;
    text-decoration-skip-ink: none;
  }
  .stale { color: var(--soft); }
  .empty { padding: 0.25rem 1.5rem; display: grid; gap: 0.5rem; }
  .empty > :first-child { font-size: 1.375rem; line-height: 1.6; }
  .link { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; }
  .link .word { color: var(--ink); font-weight: 600; }
  [data-over] { color: var(--mark); font-weight: 600; }

  .problem { margin: 0.25rem 1.5rem 1rem; display: grid; gap: 0.6rem; justify-items: start; }
  p.problem, div.problem {
    padding: 0.75rem 1rem; border-inline-start: 3px solid var(--mark); background: var(--paper);
  }
  .field-row { display: flex; gap: 0.5rem; width: 100%; max-width: 26rem; }
  .field-row button, .problem > button { min-height: 2.75rem; white-space: nowrap; }
  input {
    border: 1px solid var(--line); border-radius: 6px; background: var(--paper);
    padding: 0.25rem 0.65rem; min-height: 2.75rem; min-width: 0; flex: 1;
  }

  .alternatives {
    position: absolute; z-index: 1; top: var(--top); width: min(26rem, 100% - 1rem);
    left: clamp(0.5rem, var(--left), 100% - min(26rem, 100% - 1rem) - 0.5rem);
    display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.6rem; padding: 1rem;
    border: 1px solid var(--line);
    border-radius: var(--radius); background: var(--paper); box-shadow: 0 8px 28px rgb(0 0 0 / 16%);
  }
  .alternatives:focus { outline: none; }
  .alternatives h3 { font-size: var(--small); padding-inline-end: 2.5rem; overflow-wrap: anywhere; }
  .alternatives h3.soft { font-weight: 600; }
  .alternatives h3 > .soft { font-weight: 400; }
  .alternatives .close { position: absolute; top: 0.25rem; right: 0.25rem; }
  .close { min-width: 2.75rem; min-height: 2.75rem; padding: 0; }
  .close svg { width: 1rem; height: 1rem; }
  .chips { overflow-wrap: anywhere; display: flex; flex-wrap: wrap; gap: 0.4rem; }
  .chips button { min-height: 2.75rem; }
  .options {
    display: flex; flex-direction: column; gap: 0.125rem; max-height: 24rem; overflow: auto;
    margin: 0 -0.65rem; padding: 2px;
  }
  .options button {
    border-color: transparent; text-align: start; padding: 0.5rem 0.65rem; line-height: 1.4;
    overflow-wrap: anywhere; min-height: 2.75rem; flex: none;
  }
  .options button:hover { background: var(--card); }
  .options button[aria-pressed="true"] { border-color: transparent; background: var(--accent-soft); }
  .options b { font-weight: 650; color: var(--accent); }
  .steps { min-height: 2.75rem; }

  .warnings {
    margin-top: 1.25rem; padding: 1rem 1.5rem; border: 1px solid var(--line);
    border-inline-start: 3px solid var(--mark); border-radius: 6px; display: grid; gap: 0.4rem;
  }
  .warnings h2 { font-size: var(--small); }
  .warnings ul { margin: 0; padding: 0; list-style: none; display: grid; gap: 0.25rem; }
  footer { padding: 1.25rem 0.25rem 0; }

  @media (max-width: 46rem) {
    :host { padding: 0 0.75rem 1.5rem; }
    header { padding: 0.75rem 0.25rem; }
    header p { display: none; }
    h1 { margin-inline-end: auto; }
    header select, header a { min-height: 2.75rem; }
    header a { display: inline-flex; align-items: center; }
    main { grid-template-columns: minmax(0, 1fr); }
    .side { min-height: 12rem; }
    .source { border-radius: var(--radius) var(--radius) 0 0; }
    .target {
      border-inline-start: 0; border-top: 1px solid var(--line); border-radius: 0;
      border-end-start-radius: var(--radius); border-end-end-radius: var(--radius);
    }
    .head, .foot { padding-inline: 1rem 0.5rem; }
    .editor > *, .result, .empty > :first-child { font-size: 1.1875rem; }
    .editor > *, .result, .empty { padding-inline: 1rem; }
    .result { line-height: 1.9; }
    .alternatives {
      position: fixed; inset: auto 0 0; width: auto; max-height: 60dvh; overflow: auto;
      border-end-start-radius: 0; border-end-end-radius: 0; border-inline: 0; border-bottom: 0;
    }
    .options { max-height: none; }
  }
  @media (forced-colors: active) {
    .mark[data-marked] { outline: 2px solid Highlight; }
  }
`;var at=n=>(...e)=>({_$litDirective$:n,values:e}),re=class{constructor(e){}get _$AU(){return this._$AM._$AU}_$AT(e,t,r){this._$Ct=e,this._$AM=t,this._$Ci=r}_$AS(e,t){return this.update(e,t)}update(e,t){return this.render(...t)}};var Xt={},$e=at(class extends re{constructor(){super(...arguments),this.ot=Xt}render(n,e){return e()}update(n,[e,t]){if(Array.isArray(e)){if(Array.isArray(this.ot)&&this.ot.length===e.length&&e.every((r,s)=>r===this.ot[s]))return y}else if(this.ot===e)return y;return this.ot=Array.isArray(e)?Array.from(e):e,this.render(e,t)}});function lt(n){let{rows:e,text:t}=n,r=e.at(-1)?.span[1]??0;return d`<div class="mirror" aria-hidden="true" dir="auto">${e.map((s,i)=>$e([s.translated?.shown,s.translated?.warnings,s.source,dt(n,i)],()=>Qt(n,s,i)))}${`${t.slice(r)}​`}</div>`}function dt({rows:n,text:e},t){return e.slice(t?n[t-1].span[1]:0,n[t].span[0])}function Qt(n,e,t){let{source:r,translated:s}=e,i=s?g(r,s.shown).source:[],o=s&&s.shown===s.best?s.unaligned:[];return[dt(n,t),ht(r,i,(a,l)=>d`<span class="mark" data-testid="source-word" data-side="source"
      data-row=${t} data-word=${a} ?data-unaligned=${o.some(er(i[a]))}
      >${l}</span>`)]}var er=([n,e])=>([t,r])=>t<e&&n<r;function ct(n,e,t){let{rows:r,model:s}=n;return d`<div class="result" data-testid="translation" role="group" aria-label="translation" dir="auto"
    lang=${s?.target_language??c}>${r.map((i,o)=>{let a=e.row===o?e.word:-1,l=t?.row===o?t.word:-1,{translated:h,before:u}=i,p=n.gap(o);return $e([h?.shown,u,p,i.source,a,l],()=>[p,h?tr(i,o,a,l):d`<span class="stale" aria-hidden="true">${u}</span>`])})}</div>`}function tr(n,e,t,r){let{shown:s}=n.translated;return ht(s.text,g(n.source,s).target,(i,o)=>d`<span role="button" class="mark" data-testid="target-word"
      data-side="target" data-row=${e} data-word=${i} tabindex=${i===t?0:-1}
      aria-haspopup="dialog" aria-expanded=${i===r}>${o}</span>`)}function ht(n,e,t){let r=[],s=0;return e.forEach(([i,o],a)=>{r.push(n.slice(s,i),t(a,n.slice(i,o))),s=o}),r.push(n.slice(s)),r}function N(n){let e=n instanceof HTMLElement?n.dataset:{};return e.word===void 0?null:{side:e.side,row:Number(e.row),word:Number(e.word)}}function k({side:n,row:e,word:t}){return`[data-side="${n}"][data-row="${e}"][data-word="${t}"]`}function ut(n,e,t){let r=o=>o.left<=e&&e<=o.right&&o.top<=t&&t<=o.bottom,s=n.querySelectorAll('[data-side="source"]'),i=Array.from(s).find(o=>Array.from(o.getClientRects()).some(r));return N(i??null)}function pt({rows:n},e){let t=n.findIndex(({span:h})=>h[0]<=e&&e<=h[1]),{translated:r,source:s,span:i}=n[t]??{};if(!r)return null;let o=e-i[0],a=g(s,r.shown).source,l=a.findIndex(([h,u],p)=>{let m=a[p+1]?.[0]??Number.POSITIVE_INFINITY;return h<=o&&o<=u&&o<m});return l<0?null:{side:"source",row:t,word:l}}var rr=500,sr=["ArrowLeft","ArrowRight","ArrowUp","ArrowDown","Home","End"],nr=d`<svg viewBox="0 0 20 20" aria-hidden="true">
  <path d="M4 7h12m-3.5-3.5L16 7l-3.5 3.5M16 13H4m3.5-3.5L4 13l3.5 3.5"/></svg>`,se=class extends f{static styles=[P,ot];#e=new te({characters:Number(this.dataset.maxCharacters),texts:Number(this.dataset.maxTexts),beam:Number(this.dataset.maxBeamSize)},()=>this.requestUpdate());#t={side:"target",row:0,word:0};#s=null;#n=[];#r=null;#o=0;#i="";#a=e=>{e.composedPath().some(r=>r.matches?.(".alternatives, .result"))||this.#u()};connectedCallback(){super.connectedCallback(),document.addEventListener("pointerdown",this.#a),this.#e.open()}disconnectedCallback(){super.disconnectedCallback(),document.removeEventListener("pointerdown",this.#a)}render(){let{model:e,models:t,reverse:r,text:s,rows:i}=this.#e,o=B(e?.source_language??null),a=B(e?.target_language??null);return d`<header>
        <h1>regard</h1><p>Translations that show where every word came from</p>
        ${t.length>1?d`<select aria-label="Languages" data-testid="model" @change=${l=>this.#A(l.target.value)}>${t.map(l=>d`<option value=${T(l,t)} ?selected=${l===e}
                  >${Ye(l,t)}</option>`)}</select>`:c}
        <a href="openapi.json">API</a>
      </header>
      <main @dragover=${this.#f} @dragleave=${this.#f} @drop=${this.#P}>
        <section class="side source" aria-label="text to translate">
          <div class="head"><h2>${o||"Text"}</h2>
            ${e?.alignments?d`<button class="plain" data-testid="choose-file" @click=${()=>this.#M?.click()}>Translate a file</button>
                    <input type="file" hidden aria-label="File to translate" data-testid="file"
                      @change=${this.#C}>`:c}
            ${r?d`<button class="plain icon" aria-label="Swap languages" title="Swap languages"
                    data-testid="swap" @click=${()=>this.#_()}>${nr}</button>`:c}</div>
          <div class="editor" @pointermove=${this.#N} @pointerleave=${()=>this.#h(null)}>
            ${lt(this.#e)}
            <textarea aria-label=${o?`${o} text`:"Text"} data-testid="source" dir="auto"
              lang=${e?.source_language??c} spellcheck="true" .value=${s}
              placeholder="Type or paste text" @input=${this.#L} @click=${this.#v}
              @keyup=${this.#v}></textarea>
          </div>
          <div class="foot">${this.#d()}
            <button class="plain" ?hidden=${!s} data-testid="clear" @click=${()=>this.#S()}
              >Clear</button></div>
        </section>
        <section class="side target" aria-label="translation and what is known about it">
          <div class="head"><h2>${a||"Translation"}</h2>${this.#l()}</div>
          <div class="output" @pointerover=${this.#U} @pointerleave=${()=>this.#h(null)}
            @focusin=${this.#O} @click=${this.#D} @keydown=${this.#H}>
            ${this.#m()}
            ${i.length?ct(this.#e,this.#t,this.#r):this.#p()}
            ${this.#k()}
          </div>
          <div class="foot"><p class="link small soft" aria-live="polite" data-testid="link"
              dir="auto">${this.#c()}</p>
            <button class="plain" ?hidden=${!i.length} data-testid="show-steps"
              @click=${()=>this.#b(this.#t.row)}>Show how</button>
            <button class="plain" ?hidden=${!i.length} data-testid="copy"
              @click=${()=>this.#E()}>${this.#o?"Copied":"Copy"}</button></div>
        </section>
      </main>
      <regard-document></regard-document>
      ${this.#$()}
      <footer class="small soft"><p>The text is sent to this server only, and is not written to its
        disk.</p></footer>
      <p class="hidden" role="status" data-testid="live">${this.#x()}</p>`}updated(e){if(this.#R(),!this.#i)return;let t=this.renderRoot.querySelector(this.#i);this.#i="",t?.focus()}#d(){let{characters:e,limits:t}=this.#e,[r,s]=[e,t.characters].map(i=>i.toLocaleString("en"));return d`<p class="small soft" data-testid="count" ?data-over=${e>t.characters}>
      ${r} <span class="limit">/ ${s}</span></p>`}#l(){return this.#e.state.kind==="translating"?d`<span class="small soft progress" data-testid="progress">Translating…</span>`:c}#p(){let{state:e,model:t}=this.#e;return e.kind==="failed"||e.kind==="no-key"?c:d`<div class="empty soft" data-testid="empty">
      <p>The translation appears here as you type.</p>
      ${t?.alignments?d`<p class="small">Point at a word to see where it came from. Select it to see other
              translations.</p>`:c}</div>`}#m(){let{state:e,limits:t}=this.#e,r=d`<button data-testid="retry" @click=${()=>this.#e.retry()}>Try
      again</button>`;switch(e.kind){case"no-key":return d`<form class="problem" data-testid="key-form" @submit=${this.#z}>
          <label for="key">${e.refused?"The server does not accept this key.":"This server needs a key."}</label>
          <div class="field-row"><input id="key" type="password" autocomplete="off" required
            aria-describedby="key-note" data-testid="key"><button data-testid="use-key">Use
            key</button></div>
          <p class="small soft" id="key-note">The administrator of the server makes keys. This tab
            keeps the key until it is closed.</p></form>`;case"waiting":return d`<p class="problem" role="alert" data-testid="problem">${e.message} The page
          tries again in ${e.seconds} s.</p>`;case"failed":return d`<div class="problem" role="alert" data-testid="problem"><p>${e.message}</p>
          ${r}</div>`;case"too-long":return d`<p class="problem" role="alert" data-testid="problem">The text has more than
          ${t.characters.toLocaleString("en")} characters. Shorten it, or translate it in parts.</p>`;default:return c}}#c(){let e=this.#s,t=e&&this.#e.rows[e.row],r=t?.translated?.shown;if(!e||!t||!r?.alignment)return c;let s=g(t.source,r),i=e.side==="source",[o,a]=i?[t.source,s.source]:[r.text,s.target],[l,h]=i?[r.text,s.target]:[t.source,s.source],u=L(o,a,[e.word]),p=L(l,h,R(s,e.side,e.word));return p?d`<bdi>${u}</bdi> ${i?"became":"comes from"} <bdi class="word">${p}</bdi>`:d`<bdi>${u}</bdi> has no counterpart`}#$(){let{rows:e}=this.#e,t=e.flatMap(({source:r,translated:s})=>s?.warnings.length&&s.shown===s.best?[{source:r,warnings:s.warnings,underlined:s.unaligned.length>0}]:[]);return t.length?d`<section class="warnings" aria-label="warnings" data-testid="warnings">
      <h2>Check the translation</h2>
      <ul>${t.map(({source:r,warnings:s})=>d`<li>${e.length>1?d`<strong><bdi>${Z(r)}</bdi></strong> `:c}${s.map(i=>d`<bdi>${Y(i)}</bdi> `)}</li>`)}</ul>
      ${t.some(({underlined:r})=>r)?d`<p class="small soft" data-testid="legend"><span class="sample">underlined</span> in
              the text: has no counterpart in the translation</p>`:c}</section>`:c}#x(){let{state:e,rows:t,translation:r}=this.#e;return e.kind==="ready"&&t.every(i=>i.translated)?r.length>rr?`${t.length} sentences are translated`:r:""}#k(){let e=this.#r,t=e&&this.#e.rows[e.row];return t?tt({row:t,word:e.word,failure:e.failure,position:e.position,select:r=>this.#T(t,r),showSteps:()=>this.#b(e.row),close:r=>this.#u(r)}):c}#A(e){this.#g(),this.#e.setModel(e)}#_(){this.#g(),this.#e.swap()}#S(){this.#g(),this.#e.setText(""),this.#i="textarea"}#g(){this.#t={side:"target",row:0,word:0},this.#s=this.#r=null}async#E(){let{translation:e}=this.#e;try{await navigator.clipboard.writeText(e)}catch{or(e)}clearTimeout(this.#o),this.#o=window.setTimeout(()=>{this.#o=0,this.requestUpdate()},2e3),this.requestUpdate()}#b(e){let{rows:t,model:r}=this.#e;if(!r)return;this.#u();let s=t.map(({source:a,translated:l})=>({source:a,target:l&&l.shown!==l.best?l.shown.text:null})),i=document.querySelector("regard-steps"),o=i??document.createElement("regard-steps");i||document.body.append(o),o.open(this.dataset.viewer??"",r,s,Math.min(e,t.length-1))}#T(e,t){let r=this.#t;this.#e.select(e,t);let s=g(e.source,t).target.length-1;this.#t={...r,word:Math.max(0,Math.min(r.word,s))},this.#u(!0)}#u(e=!1){this.#r&&(this.#r=null,this.#s=null,e&&(this.#i=k(this.#t)),this.requestUpdate())}#h(e){let t=e??this.#r;t&&this.#s&&k(t)===k(this.#s)||t===this.#s||(this.#s=t,this.requestUpdate())}#R(){for(let o of this.#n)o.removeAttribute("data-marked");this.#n=[];let e=this.#s,t=e&&this.#e.rows[e.row];if(!e||!t?.translated)return;let r=e.side==="source"?"target":"source",s=R(g(t.source,t.translated.shown),e.side,e.word),i=(o,a)=>{let l=this.renderRoot.querySelector(k(o));l?.setAttribute("data-marked",a),l&&this.#n.push(l)};i(e,"word");for(let o of s)i({side:r,row:e.row,word:o},"counterpart")}get#M(){return this.renderRoot.querySelector("input[type=file]")}#w(e){let{model:t}=this.#e,r=this.renderRoot.querySelector("regard-document");e&&t?.alignments&&r?.open(e,t)}#C(e){let t=e.target;this.#w(t.files?.[0]),t.value=""}#f(e){if(!e.dataTransfer?.types.includes("Files"))return;e.preventDefault();let t=e.type==="dragover";e.currentTarget.toggleAttribute("data-dropping",t)}#P(e){this.#f(e),this.#w(e.dataTransfer?.files[0])}#L(e){this.#s=this.#r=null,this.#e.setText(e.target.value);let{rows:t}=this.#e;this.#t.row>=t.length&&(this.#t={side:"target",row:0,word:0})}#v(e){if(e instanceof KeyboardEvent&&!sr.includes(e.key))return;let{selectionStart:t,selectionEnd:r}=e.target;t===r&&this.#h(pt(this.#e,t))}#N(e){e.pointerType==="mouse"&&this.#h(ut(this.renderRoot,e.clientX,e.clientY))}#U(e){e.pointerType==="mouse"&&!this.#r&&this.#h(N(e.target))}#O(e){let t=N(e.target);t&&(this.#t=t,this.#h(t),this.requestUpdate())}#H(e){if(e.key==="Escape"&&this.#r){e.preventDefault(),this.#u(!0);return}let t=N(e.target);if(!t)return;if(e.key==="Enter"||e.key===" "){e.preventDefault(),this.#y(t);return}let r=this.#e.rows.flatMap((a,l)=>a.translated?g(a.source,a.translated.shown).target.map((h,u)=>({row:l,word:u})):[]),s=r.findIndex(({row:a,word:l})=>a===t.row&&l===t.word),i=getComputedStyle(e.target).direction==="rtl",o=rt(e.key,s,r.length-1,i);o!==null&&(e.preventDefault(),this.#t={side:"target",...r[o]},this.#i=k(this.#t),this.requestUpdate())}#D(e){let t=N(e.target);t&&this.#y(t)}async#y(e){let{rows:t}=this.#e,r=this.renderRoot.querySelector(k(e));if(r){this.#t=this.#s=e,this.#r={...e,failure:"",position:ir(r)},this.#i=".alternatives",this.requestUpdate();try{await this.#e.alternatives(t[e.row])}catch(s){this.#r&&(this.#r.failure=s instanceof Error?s.message:String(s)),this.requestUpdate()}await this.updateComplete,!(!this.#r||k(this.#r)!==k(e))&&this.renderRoot.querySelector('.option[aria-pressed="true"]')?.focus()}}#z(e){e.preventDefault();let t=this.renderRoot.querySelector("#key");this.#e.useKey(t?.value??""),this.#i="textarea"}};function ir(n){let e=n.closest(".output")?.getBoundingClientRect()??new DOMRect,t=Array.from(n.getClientRects()).at(-1)??n.getBoundingClientRect();return`--top:${t.bottom-e.top+6}px;--left:${Math.max(0,t.left-e.left)}px`}function or(n){let e=document.createElement("textarea");e.value=n,e.style.position="fixed",document.body.append(e),e.select(),document.execCommand("copy"),e.remove()}customElements.define("regard-document",X);customElements.define("regard-steps",ee);customElements.define("regard-translator",se);
